package dev.holdfast.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code mvnw} on machines that differ from this one: each test lays out a machine in a folder, and runs the script
 * there.
 */
class MvnwTest {
    @TempDir
    Path folder;

    private WrapperSandbox machine;

    @BeforeEach
    void layOut() throws IOException {
        machine = new WrapperSandbox(folder);
    }

    @Test
    void findsTheNewerJdkBesideAnOlderDefaultJava() throws Exception {
        machine.javaOnPath(machine.jdk("usr/lib/jvm/old", "17.0.15"));
        Path wanted = machine.jdk("usr/lib/jvm/temurin-25", "25.0.1");
        machine.mavenOnPath("3.9.9");

        var run = machine.mvnw("verify");

        assertThat(run.exit()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("java=" + wanted)
                .contains("args=-f " + machine.project() + "/pom.xml verify");
    }

    @Test
    void anOlderJavaHomeDoesNotWin() throws Exception {
        Path old = machine.jdk("usr/lib/jvm/old", "21.0.2");
        Path wanted = machine.jdk("home/.jdks/temurin-25", "25");
        machine.mavenOnPath("3.9.9");

        var run = machine.with("JAVA_HOME", old.toString()).mvnw("verify");

        assertThat(run.output()).contains("java=" + wanted);
    }

    @Test
    void aJavaHomeThatIsNewEnoughComesFirst() throws Exception {
        Path chosen = machine.jdk("opt/jdk-26", "26");
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.mavenOnPath("3.9.9");

        var run = machine.with("JAVA_HOME", chosen.toString()).mvnw("verify");

        assertThat(run.output()).contains("java=" + chosen);
    }

    @Test
    void aMavenrcCannotBringTheOlderJdkBack() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.mavenOnPath("3.9.9");

        assertThat(machine.mvnw("verify").output()).contains("skip_rc=true");
    }

    @Test
    void saysThatTheJdkIsMissing() throws Exception {
        machine.javaOnPath(machine.jdk("usr/lib/jvm/old", "1.8.0_392"));
        machine.mavenOnPath("3.9.9");

        var run = machine.mvnw("verify");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.output()).contains("mvnw: no JDK 25 or newer found").contains("set JAVA_HOME");
    }

    @Test
    void aRuntimeWithoutCompilerIsNoJdk() throws Exception {
        Files.delete(machine.jdk("usr/lib/jvm/jre-25", "25").resolve("bin/javac"));
        machine.mavenOnPath("3.9.9");

        assertThat(machine.mvnw("verify").output()).contains("no JDK 25 or newer found");
    }

    @Test
    void aNewMavenOnThePathIsUsedAsItIs() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        for (String version : new String[] {"3.9.0", "3.10.1", "4.0.0-rc-4"}) {
            machine.mavenOnPath(version);

            assertThat(machine.mvnw("verify").output()).contains("maven=" + version);
        }
    }

    @Test
    void anOldMavenGivesWayToTheCopyThatIsThere() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.ownCopy();
        for (String version : new String[] {"3.8.7", "3.0.5", "2.2.1"}) {
            machine.mavenOnPath(version);

            var run = machine.mvnw("verify");

            assertThat(run.exit()).as(run.output()).isZero();
            assertThat(run.output()).contains("maven=own copy");
        }
    }

    @Test
    void anOldMavenIsAskedForANewOne() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.mavenOnPath("3.8.7");
        machine.offerDistribution(true);

        var run = machine.mvnw("verify");

        assertThat(run.exit()).as(run.output()).isZero();
        assertThat(run.output()).contains("older than 3.9").contains("maven=downloaded");
        assertThat(machine.mvnw("verify").output()).doesNotContain("asking").contains("maven=downloaded");
        assertThat(machine.stagingFolders()).isEmpty();
    }

    @Test
    void otherBytesThanExpectedAreNotInstalled() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.mavenOnPath("3.8.7");
        machine.offerDistribution(false);

        var run = machine.mvnw("verify");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.output()).contains("checksum differs").doesNotContain("maven=");
        assertThat(machine.stagingFolders()).isEmpty();
    }

    @Test
    void withoutAnyMavenTheCopyIsUsed() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.ownCopy();

        assertThat(machine.mvnw("verify").output()).contains("maven=own copy");
    }

    @Test
    void withoutAnyMavenTheArchiveIsAsked() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.offerDistribution(true);
        machine.downloaderOnPath();

        var run = machine.mvnw("verify");

        assertThat(run.exit()).as(run.output()).isZero();
        assertThat(run.output()).contains("maven=downloaded");
    }

    @Test
    void saysThatMavenIsMissingAndNothingCanFetchIt() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");

        var run = machine.mvnw("verify");

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.output())
                .contains("no Maven, and neither mvn, curl nor wget")
                .contains("Install Maven 3.9");
    }

    @Test
    void runsFromAnyDirectoryAndInAPathWithSpaces() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.mavenOnPath("3.9.9");
        Path elsewhere = Files.createDirectories(folder.resolve("else where"));

        var run = machine.from(elsewhere).mvnw("-q", "-Dsome=two words", "verify");

        assertThat(machine.project().toString()).contains(" ");
        assertThat(run.output()).contains("args=-f " + machine.project() + "/pom.xml -q -Dsome=two words verify");
    }

    @Test
    void buildsAnotherProjectWhenToldTo() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.mavenOnPath("3.9.9");

        assertThat(machine.mvnw("-q", "-f", "other/pom.xml", "verify").output())
                .contains("args=-q -f other/pom.xml verify");
    }

    @Test
    void worksWithoutHome() throws Exception {
        machine.jdk("usr/lib/jvm/temurin-25", "25");
        machine.mavenOnPath("3.9.9");

        var run = machine.without("HOME").mvnw("verify");

        assertThat(run.exit()).as(run.output()).isZero();
        assertThat(run.output()).contains("maven=3.9.9");
    }
}
