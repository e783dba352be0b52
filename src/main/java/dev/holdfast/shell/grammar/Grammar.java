package dev.holdfast.shell.grammar;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * tree-sitter with its bash grammar. Its C functions are called as they are: their Java classes look each field up by
 * name, three times as long for a command of 2 KB, and follow the null of a parse that is over. One parse at a time.
 */
public final class Grammar {
    /** Deeper ones are refused: who walks the tree does it by calls. */
    private static final int MAX_DEPTH = 200;

    private static final Duration LIMIT = Duration.ofMillis(50);
    /** As often it is given the limit, for on a busy machine others may take most of it. */
    private static final int TURNS = 2;
    /** What the grammar takes for a letter, and nobody writes. */
    private static final byte LETTER = 1;

    private static final Logger LOG = Logger.getLogger(Grammar.class);
    /** Between tries to load it, which may fail for a while, as on a full disk. */
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    private static volatile @Nullable Grammar loaded;
    /** Guarded by the class, as is whether a try has failed. */
    private static long nextTry = System.nanoTime();

    private static boolean failed;

    private static final AddressLayout TEXT =
            ADDRESS.withTargetLayout(MemoryLayout.sequenceLayout(Long.MAX_VALUE, JAVA_BYTE));
    private static final StructLayout NODE = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(4, JAVA_INT), ADDRESS.withName("id"), ADDRESS.withName("tree"));
    private static final StructLayout CURSOR = MemoryLayout.structLayout(
            ADDRESS, ADDRESS, MemoryLayout.sequenceLayout(3, JAVA_INT), MemoryLayout.paddingLayout(4));

    private final Linker linker = Linker.nativeLinker();
    private final SymbolLookup library;
    private final MethodHandle parse;
    private final MethodHandle reset;
    private final MethodHandle deleteTree;
    private final MethodHandle rootNode;
    private final MethodHandle newCursor;
    private final MethodHandle deleteCursor;
    private final MethodHandle currentNode;
    private final MethodHandle firstChild;
    private final MethodHandle nextSibling;
    private final MethodHandle parent;
    private final MethodHandle symbol;
    private final MethodHandle startByte;
    private final MethodHandle endByte;
    private final MethodHandle hasError;
    private final MemorySegment parser;
    private final String[] names;

    private Grammar() throws IOException {
        Libraries.load();
        library = SymbolLookup.loaderLookup();
        parse = bind("ts_parser_parse_string", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT));
        reset = bind("ts_parser_reset", FunctionDescriptor.ofVoid(ADDRESS));
        deleteTree = bind("ts_tree_delete", FunctionDescriptor.ofVoid(ADDRESS));
        rootNode = bind("ts_tree_root_node", FunctionDescriptor.of(NODE, ADDRESS));
        newCursor = bind("ts_tree_cursor_new", FunctionDescriptor.of(CURSOR, NODE));
        deleteCursor = bind("ts_tree_cursor_delete", FunctionDescriptor.ofVoid(ADDRESS));
        currentNode = bind("ts_tree_cursor_current_node", FunctionDescriptor.of(NODE, ADDRESS));
        firstChild = bind("ts_tree_cursor_goto_first_child", FunctionDescriptor.of(JAVA_BOOLEAN, ADDRESS));
        nextSibling = bind("ts_tree_cursor_goto_next_sibling", FunctionDescriptor.of(JAVA_BOOLEAN, ADDRESS));
        parent = bind("ts_tree_cursor_goto_parent", FunctionDescriptor.of(JAVA_BOOLEAN, ADDRESS));
        symbol = bind("ts_node_symbol", FunctionDescriptor.of(JAVA_SHORT, NODE));
        startByte = bind("ts_node_start_byte", FunctionDescriptor.of(JAVA_INT, NODE));
        endByte = bind("ts_node_end_byte", FunctionDescriptor.of(JAVA_INT, NODE));
        hasError = bind("ts_node_has_error", FunctionDescriptor.of(JAVA_BOOLEAN, NODE));
        try {
            var language = (MemorySegment)
                    bind("tree_sitter_bash", FunctionDescriptor.of(ADDRESS)).invokeExact();
            parser = parser(language);
            names = names(language);
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private MemorySegment parser(MemorySegment language) throws Throwable {
        var made = (MemorySegment)
                bind("ts_parser_new", FunctionDescriptor.of(ADDRESS)).invokeExact();
        var known = (boolean) bind("ts_parser_set_language", FunctionDescriptor.of(JAVA_BOOLEAN, ADDRESS, ADDRESS))
                .invokeExact(made, language);
        if (!known) {
            throw new IllegalStateException("tree-sitter and its bash grammar are of different versions");
        }
        bind("ts_parser_set_timeout_micros", FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG))
                .invokeExact(made, LIMIT.toNanos() / 1000);
        return made;
    }

    private static @Nullable Grammar loaded() {
        Grammar known = loaded;
        return known != null ? known : load();
    }

    private static synchronized @Nullable Grammar load() {
        if (loaded == null && System.nanoTime() - nextTry >= 0) {
            try {
                loaded = new Grammar();
                if (failed) {
                    LOG.info("Shell text can be read now");
                }
            } catch (IOException | RuntimeException | LinkageError e) {
                nextTry = System.nanoTime() + PAUSE_NANOS;
                LOG.log(
                        failed ? Logger.Level.DEBUG : Logger.Level.ERROR,
                        "Shell text cannot be read, so that no command is understood, and protections do not hold:"
                                + " java.io.tmpdir or the data folder must be where libraries can be loaded from",
                        e);
                failed = true;
            }
        }
        return loaded;
    }

    /**
     * @param tree null where there is none: the text is too much, or the grammar cannot be loaded
     * @param tooMuch whether it takes longer than the limit, or is nested deeper
     */
    public record Parsed(@Nullable Node tree, boolean tooMuch) {}

    public static Parsed parsed(String text) {
        Grammar grammar = loaded();
        return grammar == null ? new Parsed(null, false) : grammar.parse(text);
    }

    /** {@link Node#ERROR} is at the root of the tree when anything in the text is wrong. */
    private synchronized Parsed parse(String text) {
        try (Arena arena = Arena.ofConfined()) {
            byte[] letters = letters(text);
            MemorySegment input = arena.allocate(letters.length + 1L);
            MemorySegment.copy(letters, 0, input, JAVA_BYTE, 0, letters.length);
            MemorySegment tree = MemorySegment.NULL;
            for (int turn = 0; turn < TURNS && tree.address() == 0; turn++) { // it goes on where it was
                tree = (MemorySegment) parse.invokeExact(parser, MemorySegment.NULL, input, letters.length);
            }
            if (tree.address() == 0) {
                reset.invokeExact(parser);
                return new Parsed(null, true);
            }
            try {
                Node root = new Walk(arena, tree).read();
                return new Parsed(root, root == null);
            } finally {
                deleteTree.invokeExact(tree);
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** A byte for each character, so that places in the tree are places in the text. */
    private static byte[] letters(String text) {
        byte[] letters = new byte[text.length()];
        for (int i = 0; i < letters.length; i++) {
            char c = text.charAt(i);
            // To bash no other white space than these is any; the grammar knows more of them.
            boolean plain = ((c >= ' ' && c < 127) || c == '\t' || c == '\n') && !isRootInTest(text, i);
            letters[i] = isHereDocument(text, i) ? (byte) ' ' : plain ? (byte) c : LETTER;
        }
        return letters;
    }

    /**
     * The second sign of what still looks like one, for {@link Scan} has put each away: a shift, or data. What the
     * grammar's own scanner remembers of one has a bound of 1024 bytes, at which it ends the process.
     */
    private static boolean isHereDocument(String text, int at) {
        return text.charAt(at) == '<'
                && text.startsWith("<", at - 1)
                && !(text.startsWith("<<<", at - 1) && !text.startsWith("<", at - 2))
                && !(text.startsWith("<<<", at - 2) && !text.startsWith("<", at - 3));
    }

    /** The slash of {@code [ -d / ] && ls}, which the grammar takes for a division, and what follows for more of it. */
    private static boolean isRootInTest(String text, int at) {
        return text.charAt(at) == '/'
                && text.startsWith(" ", at + 1)
                && (text.startsWith("]", at + 2) || text.startsWith("&&", at + 2) || text.startsWith("||", at + 2))
                && text.startsWith(" ", at - 1);
    }

    /** One tree, read by a cursor into our own nodes. */
    private final class Walk {
        private final Arena arena;
        private final MemorySegment tree;
        private final MemorySegment node;
        private final MemorySegment cursor;

        Walk(Arena arena, MemorySegment tree) {
            this.arena = arena;
            this.tree = tree;
            node = arena.allocate(NODE);
            cursor = arena.allocate(CURSOR);
        }

        @Nullable
        Node read() throws Throwable {
            var root = (MemorySegment) rootNode.invokeExact(to(node), tree);
            cursor.copyFrom((MemorySegment) newCursor.invokeExact(to(arena.allocate(CURSOR)), root));
            try {
                return node(0);
            } finally {
                deleteCursor.invokeExact(cursor);
            }
        }

        private @Nullable Node node(int depth) throws Throwable {
            if (depth > MAX_DEPTH) {
                return null;
            }
            var current = (MemorySegment) currentNode.invokeExact(to(node), cursor);
            // What is wrong may be within a word, which nobody looks into: the whole says so.
            boolean wrong = depth == 0 && (boolean) hasError.invokeExact(current);
            String type = wrong ? Node.ERROR : name((short) symbol.invokeExact(current));
            int start = (int) startByte.invokeExact(current);
            int end = (int) endByte.invokeExact(current);
            List<Node> children = List.of();
            if ((boolean) firstChild.invokeExact(cursor)) {
                children = new ArrayList<>();
                do {
                    Node child = node(depth + 1);
                    if (child == null) {
                        return null;
                    }
                    children.add(child);
                } while ((boolean) nextSibling.invokeExact(cursor));
                var back = (boolean) parent.invokeExact(cursor);
                assert back;
            }
            return new Node(type, start, end, children);
        }

        private static SegmentAllocator to(MemorySegment place) {
            return (size, alignment) -> place;
        }
    }

    private String name(short number) {
        int index = Short.toUnsignedInt(number);
        return index < names.length ? names[index] : Node.ERROR;
    }

    private String[] names(MemorySegment language) throws Throwable {
        var count = (int) bind("ts_language_symbol_count", FunctionDescriptor.of(JAVA_INT, ADDRESS))
                .invokeExact(language);
        MethodHandle name = bind("ts_language_symbol_name", FunctionDescriptor.of(TEXT, ADDRESS, JAVA_SHORT));
        String[] all = new String[count];
        for (int i = 0; i < count; i++) {
            all[i] = ((MemorySegment) name.invokeExact(language, (short) i)).getString(0, StandardCharsets.US_ASCII);
        }
        return all;
    }

    private MethodHandle bind(String function, FunctionDescriptor descriptor) {
        return linker.downcallHandle(library.find(function).orElseThrow(), descriptor);
    }
}
