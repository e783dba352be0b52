package dev.holdfast.cli;

import dev.holdfast.cli.server.Hints;
import dev.holdfast.cli.server.Http;
import dev.holdfast.cli.server.Refused;
import dev.holdfast.cli.terminal.Failure;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.FileSystemException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What is said of a failure.
 *
 * @param code what the command exits with
 */
record Told(int code, String words) {
    /** Why no server can be started. */
    static String why(IOException none) {
        return none instanceof FileSystemException unusable
                ? "the data folder cannot be made or used (" + unusable.getMessage()
                        + "): name another in HOLDFAST_DATA_DIR"
                : String.valueOf(none.getMessage());
    }

    /** @param local whether the server is, or would be, on this machine */
    static Told of(Exception failure, BooleanSupplier local) {
        return switch (failure) {
            case Failure told ->
                new Told(
                        told.code(),
                        told.getMessage()
                                + told.remedy().map(remedy -> "\n" + remedy).orElse(""));
            case Refused refused -> {
                String hint = Hints.of(refused);
                yield new Told(
                        refused.is("invalid_tool_input") ? Failure.MISUSED : Failure.ERROR,
                        refused.getMessage() + (hint.isEmpty() ? "" : "\n" + hint));
            }
            case SocketTimeoutException silent -> new Told(Failure.NO_SERVER, "no server: " + silent.getMessage());
            case Http.CutOffException cut ->
                new Told(
                        Failure.NO_SERVER,
                        cut.getMessage()
                                + ": what was asked for may have been done\nLook before you repeat it, once it runs"
                                + " again: holdfast ps -a, approvals or token list.");
            case IOException away -> {
                String why = Optional.ofNullable(away.getMessage()).orElse("nobody listens there");
                yield new Told(
                        Failure.NO_SERVER,
                        "no server: " + why
                                + (local.getAsBoolean()
                                        ? "\nStart one: holdfast serve"
                                        : "\nLook whether it runs there, and whether --url or HOLDFAST_URL is right."));
            }
            default -> new Told(Failure.ERROR, "this went wrong, which it should not: " + failure);
        };
    }
}
