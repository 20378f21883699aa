package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "role", description = "Roles; a role is there once a user has it.", synopsisSubcommandLabel = "COMMAND")
final class RoleCommands extends Group {

    RoleCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(name = "list", description = "Lists roles and who has them.")
    int list() {
        List<Object> roles = cairn.api().pages("/v3/auth/role/list", parameters("search", "blur"), 100_000);
        cairn.printer().table(roles, roles, Column.of("ROLE", "role"), Column.of("USER", "username"));
        return 0;
    }

    @Command(name = "delete", description = "Deletes a role: nobody has it any more.")
    int delete(@Parameters(paramLabel = "ROLE") String role) {
        Object result = cairn.api().delete("/v3/auth/role", parameters("role", role));
        cairn.printer().done(result, "Deleted role " + role);
        return 0;
    }
}
