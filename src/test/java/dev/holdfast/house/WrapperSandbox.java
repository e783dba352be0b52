package dev.holdfast.house;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A machine in a folder: its own {@code /usr}, {@code /opt} and home, and nothing on its PATH but what a test puts
 * there. The script is the project's own, with the roots of its look-ups moved into the folder. Nothing here needs a
 * network.
 */
final class WrapperSandbox {
    private static final List<String> BASIC_TOOLS = List.of(
            "dirname",
            "readlink",
            "sed",
            "head",
            "cut",
            "mkdir",
            "mktemp",
            "mv",
            "rm",
            "chmod",
            "cp",
            "id",
            "sha512sum");

    private final Path root;
    private final Path bin;
    private final Map<String, String> environment = new TreeMap<>();
    private Path cwd;
    private String expectedChecksum = "";

    WrapperSandbox(Path folder) throws IOException {
        root = folder.toRealPath();
        bin = Files.createDirectories(root.resolve("bin"));
        cwd = root;
        Files.createDirectories(project());
        for (String tool : BASIC_TOOLS) {
            script(bin.resolve(tool), "exec " + onThisMachine(tool) + " \"$@\"");
        }
        environment.put("PATH", bin.toString());
        environment.put("HOME", Files.createDirectories(root.resolve("home")).toString());
    }

    /** The outcome of one run, standard output and error together. */
    record Run(int exit, String output) {}

    Path project() {
        return root.resolve("a project");
    }

    WrapperSandbox with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    WrapperSandbox without(String name) {
        environment.remove(name);
        return this;
    }

    WrapperSandbox from(Path directory) {
        cwd = directory;
        return this;
    }

    /** A folder that looks like a JDK of that version; its {@code jar} is this JVM's. */
    Path jdk(String where, String version) throws IOException {
        Path home = Files.createDirectories(root.resolve(where));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"Nobody\"\nJAVA_VERSION=\"" + version + "\"\n");
        Files.createDirectories(home.resolve("bin"));
        script(home.resolve("bin/javac"), "exit 0");
        script(home.resolve("bin/java"), "echo \"java=" + home + "\"; echo \"args=$*\"");
        script(home.resolve("bin/jar"), "exec '" + System.getProperty("java.home") + "/bin/jar' \"$@\"");
        return home;
    }

    void javaOnPath(Path jdk) throws IOException {
        for (String tool : List.of("javac", "java")) {
            Files.createSymbolicLink(bin.resolve(tool), jdk.resolve("bin").resolve(tool));
        }
    }

    /**
     * A Maven that says its version, copies the offered distribution when asked for it, and else tells how it was run.
     */
    void mavenOnPath(String version) throws IOException {
        script(bin.resolve("mvn"), maven(version) + """
                for a; do case $a in -DoutputDirectory=*) exec cp "%s" "${a#*=}/apache-maven-3.9.11-bin.zip" ;; esac; done
                """.formatted(distribution()) + report(version));
    }

    void ownCopy() throws IOException {
        Path seeded = Files.createDirectories(root.resolve("seeded/bin"));
        script(seeded.resolve("mvn"), maven("3.9.11") + report("own copy"));
        Path wrapper = Files.createDirectories(root.resolve("home/.m2/wrapper"));
        Files.createSymbolicLink(wrapper.resolve("apache-maven-3.9.11"), seeded.getParent());
    }

    /** What a {@code curl} finds at the archive: the offered distribution. */
    void downloaderOnPath() throws IOException {
        script(
                bin.resolve("curl"),
                "[ \"$1\" = -fsSL ] && [ \"$2\" = -o ] && exec cp \"" + distribution() + "\" \"$3\"");
    }

    /** @param expected whether it has the checksum that the script is pinned to */
    void offerDistribution(boolean expected) throws IOException {
        String launcher = "#!/bin/sh\n" + report("downloaded");
        try (var zip = new ZipOutputStream(Files.newOutputStream(distribution()))) {
            zip.putNextEntry(new ZipEntry("apache-maven-3.9.11/bin/mvn"));
            zip.write(launcher.getBytes(StandardCharsets.UTF_8));
        }
        if (expected) {
            expectedChecksum = sha512(Files.readAllBytes(distribution()));
        }
    }

    List<Path> stagingFolders() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("home/.m2/wrapper"))) {
            return files.filter(file -> !file.endsWith("apache-maven-3.9.11")).toList();
        }
    }

    Run mvnw(String... arguments) throws IOException, InterruptedException {
        return run(installed(Path.of("mvnw"), "mvnw"), arguments);
    }

    /** A copy of that script in the project, which looks for things in this machine. */
    Path installed(Path original, String name) throws IOException {
        Path copy = project().resolve(name);
        Files.createDirectories(copy.getParent());
        script(copy, moved(Files.readString(original)));
        return copy;
    }

    Run run(Path copy, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(copy.toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(cwd.toFile()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), output);
    }

    private String moved(String script) {
        String inside = script.replaceAll(" (/usr/|/opt/|/Library/)", " '" + root + "'$1");
        return expectedChecksum.isEmpty()
                ? inside
                : inside.replaceAll("(?m)^maven_sha512=.*$", "maven_sha512=" + expectedChecksum);
    }

    private Path distribution() {
        return root.resolve("distribution.zip");
    }

    private static String maven(String version) {
        return "if [ \"$1\" = -v ]; then echo 'Apache Maven " + version + " (0123456789)'; exit; fi\n";
    }

    private static String report(String name) {
        return "echo \"maven=" + name
                + "\"; echo \"java=$JAVA_HOME\"; echo \"skip_rc=$MAVEN_SKIP_RC\"; echo \"args=$*\"\n";
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, text.startsWith("#!") ? text : "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path onThisMachine(String tool) {
        return Stream.of("/bin", "/usr/bin")
                .map(folder -> Path.of(folder, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no " + tool + " on this machine"));
    }

    private static String sha512(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
