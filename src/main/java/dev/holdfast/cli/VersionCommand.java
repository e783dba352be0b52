package dev.holdfast.cli;

import dev.holdfast.cli.server.Api;
import dev.holdfast.cli.terminal.Page;
import java.util.Optional;
import picocli.CommandLine.Command;

@Command(name = "version", description = "Says which Holdfast this is.")
final class VersionCommand extends Verb {
    @Override
    int run() {
        String version = Optional.ofNullable(Holdfast.class.getPackage().getImplementationVersion())
                .orElse("of no version");
        if (json()) {
            Page.json(Api.JSON.createObjectNode().put("version", version));
        } else {
            Page.line("holdfast " + version);
        }
        return 0;
    }
}
