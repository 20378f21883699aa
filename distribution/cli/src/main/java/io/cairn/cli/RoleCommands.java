package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "role", description = "Roles; a role exists while a user has it.", synopsisSubcommandLabel = "COMMAND")
final class RoleCommands extends Group {

    static final String LIST = "/v3/auth/role/list";

    RoleCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(name = "list", description = "Lists roles and their users.")
    int list(@Mixin Limit.OrAll limit) {
        return cairn.list(
                LIST, parameters("search", "blur"), limit, Column.of("ROLE", "role"), Column.of("USER", "username"));
    }

    @Command(name = "delete", description = "Deletes a role and removes it from all its users.")
    int delete(@Parameters(paramLabel = "ROLE") String role) {
        boolean known = cairn.isPresent(
                "role " + role, LIST, parameters("search", "accurate", "role", role), row -> Json.text(row, "role")
                        .equals(role));
        Object result = cairn.api().delete("/v3/auth/role", parameters("role", role));
        cairn.deleted(result, known, "Deleted", "role " + role);
        return 0;
    }
}
