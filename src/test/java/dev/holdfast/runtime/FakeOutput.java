package dev.holdfast.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import com.google.re2j.Pattern;
import dev.holdfast.runtime.port.OutputStore;
import dev.holdfast.task.Preview;
import dev.holdfast.task.StreamName;
import dev.holdfast.task.TaskId;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Output in memory, kept whole. Its steps have the names of the methods. What is printed is plain text: nothing is
 * removed from it, and a preview that is too long is its head.
 */
final class FakeOutput implements OutputStore {
    final Map<TaskId, Writer> governed = new ConcurrentHashMap<>();
    final Set<TaskId> held = ConcurrentHashMap.newKeySet();
    volatile Space space = new Space(1L << 30, 1L << 20);

    private final Steps steps;
    private final Map<TaskId, Map<StreamName, ByteArrayOutputStream>> streams = new ConcurrentHashMap<>();
    private final Map<TaskId, Instant> writtenAt = new ConcurrentHashMap<>();
    private final Map<TaskId, List<Consumer<StreamName>>> watchers = new ConcurrentHashMap<>();

    FakeOutput(Steps steps) {
        this.steps = steps;
    }

    void write(TaskId id, StreamName stream, String text) {
        writtenAt.put(id, Instant.now());
        streams.computeIfAbsent(id, _ -> new EnumMap<>(StreamName.class))
                .computeIfAbsent(stream, _ -> new ByteArrayOutputStream())
                .writeBytes(text.getBytes(UTF_8));
        watchers.getOrDefault(id, List.of()).forEach(watcher -> watcher.accept(stream));
    }

    /** How many watch it. */
    int watchers(TaskId id) {
        return watchers.getOrDefault(id, List.of()).size();
    }

    Writer awaitGoverned(TaskId id) {
        await().until(() -> governed.containsKey(id));
        return governed.get(id);
    }

    private byte[] bytes(TaskId id, StreamName stream) {
        ByteArrayOutputStream written = streams.getOrDefault(id, Map.of()).get(stream);
        return written == null ? new byte[0] : written.toByteArray();
    }

    @Override
    public Facts facts(TaskId id) {
        steps.pass("facts");
        long stdout = bytes(id, StreamName.STDOUT).length;
        long stderr = bytes(id, StreamName.STDERR).length;
        return stdout + stderr == 0 ? Facts.NONE : new Facts(stdout, stderr, 0, writtenAt.get(id));
    }

    @Override
    public Slice read(TaskId id, StreamName stream, long from, int maxBytes) {
        steps.pass("read");
        byte[] all = bytes(id, stream);
        int start = (int) Math.min(from, all.length);
        int end = Math.min(all.length, start + maxBytes);
        return new Slice(Arrays.copyOfRange(all, start, end), start, end, List.of());
    }

    @Override
    public TextSlice readText(TaskId id, StreamName stream, long from, int maxBytes, boolean last) {
        Slice slice = read(id, stream, from, maxBytes);
        String text = new String(slice.bytes(), UTF_8);
        return new TextSlice(text, slice.start(), slice.next(), List.of(), text.length(), slice.next());
    }

    @Override
    public TextSlice readLines(TaskId id, StreamName stream, long from, int maxBytes, boolean last) {
        Slice slice = read(id, stream, from, maxBytes);
        String text = new String(slice.bytes(), UTF_8);
        int end = slice.bytes().length < maxBytes ? 0 : text.lastIndexOf('\n') + 1;
        return readText(id, stream, from, end > 0 ? text.substring(0, end).getBytes(UTF_8).length : maxBytes, last);
    }

    @Override
    public Predicate<String> sieve(Pattern pattern) {
        return text -> pattern.matcher(text).find();
    }

    @Override
    public @Nullable Gap gap(TaskId id, StreamName stream) {
        return null;
    }

    @Override
    public Preview preview(TaskId id, int budgetChars, boolean last) {
        steps.pass("preview");
        String out = new String(bytes(id, StreamName.STDOUT), UTF_8);
        String err = new String(bytes(id, StreamName.STDERR), UTF_8);
        boolean truncated = out.length() + err.length() > budgetChars;
        return new Preview(head(out, truncated, budgetChars / 2), head(err, truncated, budgetChars / 2), truncated);
    }

    private static @Nullable String head(String text, boolean cut, int most) {
        return text.isEmpty() ? null : cut && text.length() > most ? text.substring(0, most) : text;
    }

    @Override
    public Found search(TaskId id, StreamName stream, Wanted wanted, boolean last, BooleanSupplier abandoned) {
        steps.pass("search");
        String all = new String(bytes(id, stream), UTF_8);
        List<String> lines = all.lines().toList();
        List<Match> matches = new ArrayList<>();
        long offset = 0;
        for (int i = 0; i < lines.size(); i++) {
            long end = Math.min(offset + lines.get(i).getBytes(UTF_8).length + 1, bytes(id, stream).length);
            if (end > wanted.from() && wanted.pattern().matcher(lines.get(i)).find()) {
                List<String> before = lines.subList(Math.max(0, i - wanted.context()), i);
                List<String> after = lines.subList(i + 1, Math.min(lines.size(), i + 1 + wanted.context()));
                matches.add(new Match(stream, i + 1L, offset, end, lines.get(i), before, after));
            }
            offset = end;
        }
        List<Match> ordered = wanted.fromEnd() ? matches.reversed() : matches;
        boolean more = matches.size() > wanted.max();
        return new Found(ordered.subList(0, Math.min(matches.size(), wanted.max())), more, bytes(id, stream).length);
    }

    @Override
    public Path file(TaskId id, StreamName stream) {
        return Path.of(id.value(), stream.name());
    }

    @Override
    public Watch watch(TaskId id, Consumer<StreamName> onChange) {
        steps.pass("watch");
        List<Consumer<StreamName>> those = watchers.computeIfAbsent(id, _ -> new CopyOnWriteArrayList<>());
        those.add(onChange);
        return () -> those.remove(onChange);
    }

    @Override
    public void govern(TaskId id, Writer writer) {
        steps.pass("govern");
        governed.put(id, writer);
    }

    @Override
    public boolean isHeld(TaskId id) {
        steps.pass("isHeld");
        return held.contains(id);
    }

    @Override
    public Space space() {
        steps.pass("space");
        return space;
    }

    @Override
    public boolean isPaused(TaskId id) {
        return false;
    }

    @Override
    public void release(TaskId id) {
        steps.pass("release");
        governed.remove(id);
    }
}
