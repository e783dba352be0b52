package dev.holdfast.policy.actor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.task.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a tokens file in which one entry more or less is to stand. */
class TokenTextTest {
    private static final String ONE = "1".repeat(64);
    private static final String TWO = "2".repeat(64);
    private static final Actor NEW =
            new Actor("new", Role.AGENT, Map.of("on", "1e5"), Mode.PLAN, new Sandbox(Sandbox.Files.READ_ONLY, false));

    @TempDir
    private Path folder = Path.of("");

    private TokenFile file(String text) throws IOException {
        return new TokenFile(Files.writeString(folder.resolve("tokens.yaml"), text), true, System::nanoTime);
    }

    private String text() throws IOException {
        return Files.readString(folder.resolve("tokens.yaml"));
    }

    private static List<String> names(TokenFile file) throws IOException {
        return file.all().stream().map(Actor::name).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "tokens:\n  - {name: a, sha256: '$ONE', role: agent}\n  - {name: b, sha256: '$TWO', role: agent}\n",
                "tokens:\n- name: a\n  sha256: '$ONE'\n  role: agent # of a\n- role: observer\n  name: b\n  sha256: '$TWO'\n  labels:\n    x: \"y\"\n# the end",
                "# 🐘\n\ntokens: # all\n   # first\n   - name: a\n     sha256: '$ONE'\n     role: agent\n\n   # second\n   - name: b\n     role: agent\n     sha256: |-\n        $TWO\n\n\n# the end\n",
                "tokens: [{name: a, sha256: '$ONE', role: agent}, {name: b, sha256: '$TWO', role: agent}]",
                "{tokens: [\n {name: a, sha256: '$ONE', role: agent}, # of a\n {name: b, sha256: '$TWO', role: agent}\n]}\n",
            })
    void oneMoreAndOneLessLeaveTheRest(String form) throws IOException {
        String text = form.replace("$ONE", ONE).replace("$TWO", TWO);
        TokenFile file = file(text);
        List<String> comments =
                text.lines().filter(line -> line.strip().startsWith("#")).toList();

        assertThat(file.add(NEW, "3".repeat(64))).isTrue();
        assertThat(names(file)).containsExactly("a", "b", "new");
        assertThat(file.bearer("3".repeat(64))).contains(NEW);
        assertThat(file.remove("b")).isTrue();
        assertThat(file.bearer(TWO)).isEmpty();
        assertThat(file.remove("a")).isTrue();
        assertThat(names(file)).containsExactly("new");
        assertThat(text().lines()).containsAll(comments);
        assertThat(file.remove("new")).isTrue();
        assertThat(file.bearer("3".repeat(64))).isEmpty();
        assertThat(names(file)).isEmpty();

        assertThat(file.add(NEW, ONE)).isTrue();
        assertThat(file.bearer(ONE)).contains(NEW);
    }

    @Test
    void theRestIsAsItWasToTheLetter() throws IOException {
        String text = "# Ours.\ntokens:\n  # CI, ask Ada.\n  - name: ci\n    role:   agent\n    sha256: '" + ONE
                + "' # of ci\n\n# The end.\n";
        TokenFile file = file(text);
        file.add(NEW, TWO);
        assertThat(text())
                .isEqualTo(text.replace(
                        "' # of ci\n",
                        "' # of ci\n  - {name: new, role: agent, labels: {'on': '1e5'},"
                                + " mode: plan, sandbox: read_only, sha256: '" + TWO + "'}\n"));
        file.remove("new");
        assertThat(text()).isEqualTo(text);
    }

    @Test
    void aNewFileIsPrivateAndAnOldOneKeepsItsRightsAndItsLink() throws IOException {
        Path path = folder.resolve("tokens.yaml");
        TokenFile file = new TokenFile(path, true, System::nanoTime);
        assertThat(names(file)).isEmpty();
        assertThat(file.remove("new")).isFalse();
        assertThat(path).doesNotExist();
        file.add(NEW, ONE);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");

        Path elsewhere = Files.move(path, folder.resolve("elsewhere.yaml"));
        Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rw-r-----"));
        Files.createSymbolicLink(path, elsewhere);
        file.remove("new");
        assertThat(path).isSymbolicLink();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(elsewhere)))
                .isEqualTo("rw-r-----");
        assertThat(folder.toFile().list()).hasSize(2);
    }

    @Test
    void aNameIsGivenOnceAndABrokenFileIsLeftAlone() throws IOException {
        TokenFile file = file("tokens:\n  - {name: new, sha256: '" + ONE + "', role: agent}\n");
        assertThat(file.add(NEW, TWO)).isFalse();
        Actor nobody = new Actor("no body", Role.AGENT, Map.of(), Mode.OPEN, null);
        assertThatThrownBy(() -> file.add(nobody, TWO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("`name` is no name for a token");

        String broken = "tokens:\n  - {name: new, sha256: short, role: agent}\n";
        file(broken);
        assertThatThrownBy(() -> file.add(new Actor("x", Role.AGENT, Map.of(), Mode.OPEN, null), TWO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("line 2");
        assertThatThrownBy(() -> file.remove("new")).isInstanceOf(IOException.class);
        assertThatThrownBy(file::all).isInstanceOf(IOException.class);
        assertThat(text()).isEqualTo(broken);

        String aliased = "tokens:\n  - &a {name: a, sha256: '" + ONE + "', role: agent, labels: &l {x: y}}\n"
                + "  - {name: b, sha256: '" + TWO + "', role: agent, labels: *l}\n";
        TokenFile odd = file(aliased);
        assertThatThrownBy(() -> odd.remove("a")).hasMessageContaining("by hand");
        assertThat(text()).isEqualTo(aliased);
    }
}
