package dev.holdfast.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.cli.terminal.Page;
import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Many commands in one process, one after the other: one each costs a third of a second of a processor. Reads the words
 * of one from each line of its input, as a JSON array; behind what it prints come a NUL, its exit code and a NUL, and a
 * NUL behind what it says on standard error. None may read its input.
 */
public final class Resident {
    private Resident() {}

    public static void main(String... none) throws Exception {
        var mapper = new ObjectMapper();
        var lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            int code = Holdfast.run(mapper.readValue(line, String[].class));
            Page.write(Page.OUT, ("\0" + code + "\0").getBytes(UTF_8));
            Page.write(Page.ERR, new byte[1]);
        }
    }
}
