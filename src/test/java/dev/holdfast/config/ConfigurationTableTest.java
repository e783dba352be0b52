package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.config.WithDefault;
import io.smallrye.config.WithName;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the table of settings in README.md to the settings there are. When it fails it shows the table to paste. */
class ConfigurationTableTest {
    private static final Path README = Path.of("README.md");
    private static final Path SOURCE = Path.of("src/main/java/dev/holdfast/config/HoldfastConfig.java");
    private static final String BEGIN = "<!-- configuration -->";
    private static final String END = "<!-- /configuration -->";

    /** An interface, or a documented setting: its Javadoc, then its name. */
    private static final Pattern DECLARATION = Pattern.compile(
            "interface (\\w+) \\{|/\\*\\*((?:(?!\\*/).)*+)\\*/\\s*(?:@WithName\\(\"([^\"]*)\"\\)\\s*)?(?:@WithDefault\\(\"[^\"]*\"\\)\\s*)?(?:@WithConverter\\([\\w.]+\\)\\s*)?[\\w<>]+ (\\w+)\\(\\);",
            Pattern.DOTALL);

    private record Setting(String key, String standard, String meaning) {
        String row() {
            String variable = key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
            return "| `%s` | `%s` | %s | %s |".formatted(key, variable, standard, meaning);
        }
    }

    @Test
    void listsEverySettingInTheReadme() throws IOException {
        assertThat(Files.exists(README) ? Files.readString(README) : "")
                .as("README.md, with this between its markers:%n%n%s%n", table())
                .contains(table());
    }

    @Test
    void explainsEverySetting() throws IOException {
        assertThat(settings())
                .hasSizeGreaterThan(10)
                .allSatisfy(setting ->
                        assertThat(setting.meaning()).as(setting.key()).endsWith("."));
    }

    /** The whole section as it belongs into the README, markers included. */
    private static String table() throws IOException {
        List<String> lines = new ArrayList<>(
                List.of(BEGIN, "| key | environment variable | default | meaning |", "| --- | --- | --- | --- |"));
        settings().forEach(setting -> lines.add(setting.row()));
        lines.add(END);
        return String.join("\n", lines);
    }

    /** In the order of the source. */
    private static List<Setting> settings() throws IOException {
        Map<String, Method> methods = new HashMap<>();
        Map<String, String> prefixes = new HashMap<>();
        collect(HoldfastConfig.class, "holdfast.", methods, prefixes);
        List<Setting> settings = new ArrayList<>();
        String section = "";
        Matcher found = DECLARATION.matcher(Files.readString(SOURCE));
        while (found.find()) {
            if (found.group(1) != null) {
                section = found.group(1);
            } else {
                String key = prefixes.get(section) + Objects.requireNonNullElse(found.group(3), kebab(found.group(4)));
                settings.add(setting(key, Objects.requireNonNull(methods.remove(key), key), found.group(2)));
            }
        }
        assertThat(methods).as("settings without a sentence").isEmpty();
        return settings;
    }

    /** The settings by key, and the sections' prefixes by the names of their interfaces. */
    private static void collect(
            Class<?> section, String prefix, Map<String, Method> methods, Map<String, String> prefixes) {
        prefixes.put(section.getSimpleName(), prefix);
        for (Method method : section.getMethods()) {
            Class<?> type = method.getReturnType();
            WithName name = method.getAnnotation(WithName.class);
            String key = prefix + (name == null ? kebab(method.getName()) : name.value());
            if (type.isInterface() && HoldfastConfig.class.equals(type.getEnclosingClass())) {
                collect(type, key + ".", methods, prefixes);
            } else {
                methods.put(key, method);
            }
        }
    }

    private static Setting setting(String key, Method method, String javadoc) {
        WithDefault standard = method.getAnnotation(WithDefault.class);
        String meaning = javadoc.replaceAll("\\s*\\n\\s*\\*", "").replaceAll("\\{@code ([^}]*)}", "`$1`");
        String shown = standard == null ? "unset" : "`" + standard.value().replace("${HOME:${user.home}}", "~") + "`";
        return new Setting(key, shown, meaning.strip());
    }

    private static String kebab(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
