package dev.holdfast.shell.grammar;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
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

    private static final StructLayout NODE = MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(4, JAVA_INT), ADDRESS.withName("id"), ADDRESS.withName("tree"));
    private static final StructLayout CURSOR = MemoryLayout.structLayout(
            ADDRESS, ADDRESS, MemoryLayout.sequenceLayout(3, JAVA_INT), MemoryLayout.paddingLayout(4));

    private static final Linker LINKER = Linker.nativeLinker();
    /**
     * For all that take pointers and whole numbers: they lie in registers, of which a function reads those it has
     * parameters for. Each shape that is bound costs the start of a server 5 to 7 ms (measured).
     */
    private static final MethodHandle CALL =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));

    private static final MethodHandle OF_NODE = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_LONG, NODE));
    private static final MethodHandle TO_NODE = LINKER.downcallHandle(FunctionDescriptor.of(NODE, JAVA_LONG));
    private static final MethodHandle TO_CURSOR = LINKER.downcallHandle(FunctionDescriptor.of(CURSOR, NODE));

    private final MemorySegment parse = function("ts_parser_parse_string");
    private final MemorySegment reset = function("ts_parser_reset");
    private final MemorySegment deleteTree = function("ts_tree_delete");
    private final MemorySegment rootNode = function("ts_tree_root_node");
    private final MemorySegment newCursor = function("ts_tree_cursor_new");
    private final MemorySegment deleteCursor = function("ts_tree_cursor_delete");
    private final MemorySegment currentNode = function("ts_tree_cursor_current_node");
    private final MemorySegment firstChild = function("ts_tree_cursor_goto_first_child");
    private final MemorySegment nextSibling = function("ts_tree_cursor_goto_next_sibling");
    private final MemorySegment parent = function("ts_tree_cursor_goto_parent");
    private final MemorySegment symbol = function("ts_node_symbol");
    private final MemorySegment startByte = function("ts_node_start_byte");
    private final MemorySegment endByte = function("ts_node_end_byte");
    private final MemorySegment hasError = function("ts_node_has_error");
    private final long parser;
    private final String[] names;

    /** Once {@link Libraries} are loaded. */
    private Grammar() {
        try {
            long language = call(function("tree_sitter_bash"), 0, 0);
            parser = parser(language);
            names = names(language);
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static MemorySegment function(String name) {
        return SymbolLookup.loaderLookup().findOrThrow(name);
    }

    private static long call(MemorySegment function, long first, long second) throws Throwable {
        return (long) CALL.invokeExact(function, first, second, 0L, 0L);
    }

    /** Of one that returns a {@code bool}, which is the lowest byte of a register. */
    private static boolean is(long register) {
        return (byte) register != 0;
    }

    private static long parser(long language) throws Throwable {
        long made = call(function("ts_parser_new"), 0, 0);
        if (!is(call(function("ts_parser_set_language"), made, language))) {
            throw new IllegalStateException("tree-sitter and its bash grammar are of different versions");
        }
        call(function("ts_parser_set_timeout_micros"), made, LIMIT.toNanos() / 1000);
        return made;
    }

    private static @Nullable Grammar loaded() {
        Grammar known = loaded;
        return known != null ? known : load();
    }

    private static synchronized @Nullable Grammar load() {
        if (loaded == null && System.nanoTime() - nextTry >= 0) {
            try {
                Libraries.load();
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
            long tree = 0;
            for (int turn = 0; turn < TURNS && tree == 0; turn++) { // it goes on where it was
                tree = (long) CALL.invokeExact(parse, parser, 0L, input.address(), (long) letters.length);
            }
            if (tree == 0) {
                call(reset, parser, 0);
                return new Parsed(null, true);
            }
            try {
                Node root = new Walk(arena, tree).read();
                return new Parsed(root, root == null);
            } finally {
                call(deleteTree, tree, 0);
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
        private final long tree;
        private final MemorySegment node;
        private final MemorySegment cursor;

        Walk(Arena arena, long tree) {
            this.arena = arena;
            this.tree = tree;
            node = arena.allocate(NODE);
            cursor = arena.allocate(CURSOR);
        }

        @Nullable
        Node read() throws Throwable {
            var root = (MemorySegment) TO_NODE.invokeExact(rootNode, to(node), tree);
            cursor.copyFrom((MemorySegment) TO_CURSOR.invokeExact(newCursor, to(arena.allocate(CURSOR)), root));
            try {
                return node(0);
            } finally {
                call(deleteCursor, cursor.address(), 0);
            }
        }

        private @Nullable Node node(int depth) throws Throwable {
            if (depth > MAX_DEPTH) {
                return null;
            }
            long at = cursor.address();
            var current = (MemorySegment) TO_NODE.invokeExact(currentNode, to(node), at);
            // What is wrong may be within a word, which nobody looks into: the whole says so.
            boolean wrong = depth == 0 && is((long) OF_NODE.invokeExact(hasError, current));
            String type = wrong ? Node.ERROR : name((short) (long) OF_NODE.invokeExact(symbol, current));
            int start = (int) (long) OF_NODE.invokeExact(startByte, current);
            int end = (int) (long) OF_NODE.invokeExact(endByte, current);
            List<Node> children = List.of();
            if (is(call(firstChild, at, 0))) {
                children = new ArrayList<>();
                do {
                    Node child = node(depth + 1);
                    if (child == null) {
                        return null;
                    }
                    children.add(child);
                } while (is(call(nextSibling, at, 0)));
                boolean back = is(call(parent, at, 0));
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

    private static String[] names(long language) throws Throwable {
        MemorySegment name = function("ts_language_symbol_name");
        String[] all = new String[(int) call(function("ts_language_symbol_count"), language, 0)];
        for (int i = 0; i < all.length; i++) {
            all[i] = MemorySegment.ofAddress(call(name, language, i))
                    .reinterpret(Long.MAX_VALUE)
                    .getString(0, StandardCharsets.US_ASCII);
        }
        return all;
    }
}
