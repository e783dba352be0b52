package dev.holdfast.host.terminal;

import dev.holdfast.keeper.Installations;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The keeper's own copy of what it runs from. A jar that is replaced under a live JVM breaks it, and the server may be
 * upgraded while its keeper lives on; so the keeper runs from a folder named by the digest of its contents.
 */
final class KeeperInstallation {
    /** A resource of each jar the keeper needs; pty4j says which (its pom), and each was seen to be needed. */
    private static final List<String> LIBRARIES = List.of(
            "com/fasterxml/jackson/core/JsonFactory.class",
            "com/pty4j/PtyProcess.class",
            "com/sun/jna/Native.class",
            "com/sun/jna/platform/unix/LibCAPI.class",
            "kotlin/Unit.class",
            "org/slf4j/Logger.class");

    private static final String CLASSES = "dev/holdfast/keeper";
    private static final String MAIN = CLASSES + "/Keeper.class";

    private KeeperInstallation() {}

    /** @return the folder of the installation in {@code keeperFolder}; made when it is not there yet */
    static Path install(Path keeperFolder) throws IOException {
        Map<String, byte[]> classes = classes();
        List<Path> jars = new ArrayList<>();
        for (String resource : LIBRARIES) {
            jars.add(jarOf(resource));
        }
        Path installation = keeperFolder.resolve(digest(classes, jars));
        if (Files.isDirectory(installation)) {
            return installation;
        }
        Path draft = keeperFolder.resolve("draft-" + UUID.randomUUID());
        try {
            fill(draft, classes, jars);
            Files.move(draft, installation, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException failed) {
            if (Files.exists(draft)) {
                Installations.delete(draft); // else each try takes more of a disk that is full
            }
            if (!Files.isDirectory(installation)) { // nobody made it meanwhile
                throw failed;
            }
        }
        return installation;
    }

    private static void fill(Path draft, Map<String, byte[]> classes, List<Path> jars) throws IOException {
        Files.createDirectories(draft.resolve("native"));
        try (FileSystem jar = FileSystems.newFileSystem(draft.resolve("keeper.jar"), Map.of("create", "true"))) {
            for (Map.Entry<String, byte[]> file : classes.entrySet()) {
                Path copy = jar.getPath(CLASSES).resolve(file.getKey());
                Files.createDirectories(copy.getParent());
                Files.write(copy, file.getValue());
            }
        }
        for (Path jar : jars) {
            Files.copy(jar, draft.resolve(jar.getFileName().toString()));
        }
        for (Path jar : classpath(draft)) { // one that a loss of power left empty would be taken for whole for ever
            try (FileChannel file = FileChannel.open(jar, StandardOpenOption.WRITE)) {
                file.force(true);
            }
        }
    }

    /** Jars alone: one that is open is read on when the data folder is moved under a keeper. */
    static List<Path> classpath(Path installation) throws IOException {
        try (Stream<Path> files = Files.list(installation)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        }
    }

    private static Path jarOf(String resource) throws IOException {
        URL url = find(resource);
        if (url.openConnection() instanceof JarURLConnection connection) {
            return path(connection.getJarFileURL());
        }
        throw new IOException(resource + " is in no jar: " + url);
    }

    /** The keeper's compiled classes by their paths in its package, from a jar or from a folder of classes. */
    private static Map<String, byte[]> classes() throws IOException {
        URL url = find(MAIN);
        if (url.openConnection() instanceof JarURLConnection connection) {
            try (FileSystem jar = FileSystems.newFileSystem(path(connection.getJarFileURL()))) {
                return files(jar.getPath(CLASSES));
            }
        }
        Path main = path(url);
        return files(main.resolveSibling("."));
    }

    private static Map<String, byte[]> files(Path folder) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> found = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) found.filter(Files::isRegularFile)::iterator) {
                files.put(folder.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }

    private static URL find(String resource) throws IOException {
        URL url = KeeperInstallation.class.getClassLoader().getResource(resource);
        if (url == null) {
            throw new IOException(resource + " is not on the class path");
        }
        return url;
    }

    private static Path path(URL url) throws IOException {
        try {
            return Path.of(new URI(url.toString()));
        } catch (URISyntaxException | IllegalArgumentException elsewhere) {
            throw new IOException("not a file: " + url, elsewhere);
        }
    }

    private static String digest(Map<String, byte[]> classes, List<Path> jars) throws IOException {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            for (byte[] contents : classes.values()) {
                sha.update(contents);
            }
            for (Path jar : jars) {
                sha.update(Files.readAllBytes(jar));
            }
            return HexFormat.of().formatHex(sha.digest(), 0, 16);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
