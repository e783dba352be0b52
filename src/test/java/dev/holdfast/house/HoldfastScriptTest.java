package dev.holdfast.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/holdfast} on machines that differ from this one; that it is the server is for {@code DistributionIT}. */
class HoldfastScriptTest {
    @TempDir
    Path folder;

    private WrapperSandbox machine;
    private Path script;

    @BeforeEach
    void layOut() throws IOException {
        machine = new WrapperSandbox(folder);
        script = machine.installed(Path.of("src/main/dist/bin/holdfast"), "bin/holdfast");
    }

    @Test
    void findsTheNewerJdkBesideAnOlderDefaultJava() throws Exception {
        machine.javaOnPath(machine.jdk("usr/lib/jvm/old", "17.0.15"));
        Path wanted = machine.jdk("usr/lib/jvm/temurin-25", "25.0.1");

        var run = machine.run(script, "serve");

        assertThat(run.exit()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("java=" + wanted)
                .endsWith("-jar " + machine.project() + "/lib/quarkus-run.jar\n");
    }

    @Test
    void aJavaHomeThatIsNewEnoughComesFirstAndAnOlderOneDoesNotWin() throws Exception {
        Path found = machine.jdk("home/.jdks/temurin-25", "25");
        Path old = machine.jdk("opt/jdk-21", "21.0.2");
        Path chosen = machine.jdk("elsewhere/jdk-26", "26-ea");

        assertThat(machine.with("JAVA_HOME", old.toString())
                        .run(script, "serve")
                        .output())
                .contains("java=" + found);
        assertThat(machine.with("JAVA_HOME", chosen.toString())
                        .run(script, "serve")
                        .output())
                .contains("java=" + chosen);
    }

    @Test
    void saysThatTheJdkIsMissing() throws Exception {
        machine.javaOnPath(machine.jdk("usr/lib/jvm/old", "1.8.0_392"));

        var run = machine.without("HOME").run(script, "serve");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.output()).contains("holdfast: no JDK 25 or newer found").contains("set JAVA_HOME");
    }

    @Test
    void aPathThatNamesNothingWillDo() throws Exception {
        Path jdk = machine.jdk("elsewhere/jdk-25", "25");

        for (String path : new String[] {"", "/nonexistent"}) {
            var run =
                    machine.with("JAVA_HOME", jdk.toString()).with("PATH", path).run(script, "serve");

            assertThat(run.output()).startsWith("java=" + jdk);
        }
    }

    @Test
    void saysThatTooFewFilesMayBeOpen() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");

        var run = machine.run(Path.of("/bin/sh"), "-c", "ulimit -n 64; exec \"$0\" serve", script.toString());

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.output())
                .contains("may open 64 files", "needs 512", "LimitNOFILE")
                .doesNotContain("java=");
    }

    @Test
    void saysThatFilesMayNotGrow() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");

        assertThat(machine.run(Path.of("/bin/sh"), "-c", "ulimit -f 4096; exec \"$0\" serve", script.toString())
                        .output())
                .contains("past 4096 blocks here (ulimit -f)", "LimitFSIZE", "java=");
        assertThat(machine.run(script, "serve").output()).doesNotContain("LimitFSIZE");
    }

    @Test
    void optionsOfTheJvmComeAfterItsOwnAndWin() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");

        assertThat(machine.run(script, "serve", "-Xmx1g", "-Dsome=two words").output())
                .containsPattern("-Xmx\\d+m .*-Xmx1g -Dsome=two words -jar");
    }

    @Test
    void usesTheCacheThatLiesBesideTheJars() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        Path cache = machine.project().resolve("lib/holdfast.aot");
        assertThat(machine.run(script, "serve").output()).doesNotContain("AOTCache");

        Files.createDirectories(cache.getParent());
        Files.createFile(cache);

        assertThat(machine.run(script, "serve").output()).contains("-XX:AOTCache=" + cache);
    }

    @Test
    void runsThroughASymbolicLinkFromAnyFolder() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        Path elsewhere = Files.createDirectories(folder.resolve("else where"));
        Path link = Files.createSymbolicLink(elsewhere.resolve("hf"), script);

        assertThat(machine.from(elsewhere).run(link, "serve").output())
                .endsWith("-jar " + machine.project() + "/lib/quarkus-run.jar\n");
    }

    @Test
    void mcpIsASmallClientOfTheServerThatStartsFromTheClientsCache() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        Path cache = machine.project().resolve("lib/client.aot");
        Files.createDirectories(cache.getParent());
        Files.createFile(cache);

        assertThat(machine.run(script, "mcp").output())
                .contains("-XX:AOTCache=" + cache, "-Dholdfast.script=" + script)
                .endsWith(" dev.holdfast.cli.Mcp holdfast\n");
        assertThat(machine.run(script, "mcp", "--profile", "codex").output()).endsWith("dev.holdfast.cli.Mcp codex\n");
    }

    /** What a command gets is what was given. */
    @Test
    void itsJvmReadsWordsAsUtf8InWhateverLocale() throws Exception {
        Path jdk = machine.jdk("usr/lib/jvm/temurin-25", "25");
        Files.writeString(jdk.resolve("bin/java"), "#!/bin/sh\necho \"$LC_ALL $HOLDFAST_LC_ALL.\"\n");

        for (String command : new String[] {"serve", "mcp", "run"}) {
            assertThat(machine.run(script, command).output()).isEqualTo("C.UTF-8 .\n");
            assertThat(machine.with("LC_ALL", "xx_XX").run(script, command).output())
                    .isEqualTo("C.UTF-8 xx_XX.\n");
            machine.without("LC_ALL");
        }
    }

    @Test
    void everyOtherCommandIsTheClientThatKnowsIt() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");

        assertThat(machine.run(script, "run", "-d", "two words").output())
                .contains("-Dholdfast.terminal=false")
                .endsWith(" dev.holdfast.cli.Holdfast run -d two words\n");
        assertThat(machine.run(script).output()).endsWith(" dev.holdfast.cli.Holdfast\n");
    }

    @Test
    void helpIsOfTheClientAlsoForWhatTheScriptStarts() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");

        assertThat(machine.run(script, "serve", "--help").output()).endsWith(".cli.Holdfast help serve\n");
        assertThat(machine.run(script, "mcp", "-h").output()).endsWith(".cli.Holdfast help mcp\n");
    }

    @Test
    void anotherWordIsWrongUsage() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        for (String[] words :
                new String[][] {{"serve", "now"}, {"serve", "--port=1"}, {"mcp", "now"}, {"mcp", "--profile"}}) {
            var run = machine.run(script, words);

            assertThat(run.exit()).isEqualTo(2);
            assertThat(run.output()).contains("Usage: holdfast serve").doesNotContain("java=");
        }
    }
}
