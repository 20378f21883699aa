package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "audit", description = "Lists the audit records of changes and logins, the newest first.")
final class AuditCommand implements Callable<Integer> {

    private final Cairn cairn;

    @Option(names = "--who", paramLabel = "NAME")
    private @Nullable String who;

    @Option(names = "--action", paramLabel = "ACTION", description = "such as config.update or login.failed")
    private @Nullable String action;

    @Option(
            names = "--target",
            paramLabel = "TARGET",
            description = "any part of the target; with * for any text, the whole target")
    private @Nullable String target;

    @Option(names = "--address", paramLabel = "ADDRESS")
    private @Nullable String address;

    @Mixin
    private Limit.OrNewest limit = new Limit.OrNewest();

    AuditCommand(Cairn cairn) {
        this.cairn = cairn;
    }

    @Override
    public Integer call() {
        return cairn.list(
                "/v3/admin/auth/audit/list",
                parameters("who", who, "action", action, "target", target, "address", address),
                limit,
                Column.at("AT", "at"),
                Column.of("WHO", "who"),
                Column.of("ADDRESS", "address"),
                Column.of("ACTION", "action"),
                Column.of("TARGET", "target"));
    }
}
