package dev.holdfast.policy;

import dev.holdfast.policy.actor.Mode;
import dev.holdfast.policy.file.PolicyFileException;
import dev.holdfast.policy.file.WatchedFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jboss.logging.Logger;

/**
 * The rules of the policy files as they stand. One that is broken keeps its old rules; where it has none, it denies all
 * until it is mended. Thread-safe.
 */
final class PolicyFiles {
    private static final Logger LOG = Logger.getLogger(PolicyFiles.class);
    private static final WatchedFile.Kind<Rules> POLICY = new WatchedFile.Kind<>(
            "Policy",
            "holdfast.policy.file",
            "The old rules hold.",
            "All is denied.",
            PolicyFiles::read,
            PolicyFiles::shut);

    private final List<WatchedFile<Rules>> files;

    /** @param optional whether a file that is not there is none, and no flaw */
    PolicyFiles(List<Path> paths, boolean optional, LongSupplier nanoTime) {
        this.files = paths.stream()
                .map(path -> new WatchedFile<>(path, POLICY, optional, nanoTime))
                .toList();
    }

    /** Those of each file that there is. */
    List<Rules> rules() {
        List<Rules> all = new ArrayList<>();
        for (WatchedFile<Rules> file : files) {
            Rules rules = file.now();
            if (rules != null) {
                all.add(rules);
            }
        }
        return all;
    }

    Map<String, String> flaws() {
        Map<String, String> flaws = new TreeMap<>();
        files.forEach(file -> flaws.putAll(file.flaw()));
        return flaws;
    }

    private static Rules read(Path path, String text) throws PolicyFileException {
        Rules rules = RuleFile.parse(text);
        rules.warnings().forEach(warning -> LOG.warnf("Policy %s, %s", path, warning));
        LOG.infof("Policy %s: %d rules", path, rules.rules().size());
        return rules;
    }

    private static Rules shut(Path path, String why) {
        Match all = new Match(
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Set.of(),
                List.of(),
                List.of(),
                Map.of(),
                List.of(),
                EnumSet.allOf(Action.On.class));
        Rule deny = new Rule(
                Policy.BROKEN, 0, all, Decision.DENY, "The policy file " + path + " can't be used: " + why, null);
        return new Rules(Mode.OPEN, Decision.DENY, true, List.of(deny), List.of());
    }
}
