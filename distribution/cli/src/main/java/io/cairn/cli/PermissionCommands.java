package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "permission", description = "Rights of roles.", synopsisSubcommandLabel = "COMMAND")
final class PermissionCommands extends Group {

    private static final String PATH = "/v3/auth/permission";

    PermissionCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(name = "list", description = "Lists the rights of roles.")
    int list(@Option(names = "--role", paramLabel = "ROLE") @Nullable String role, @Mixin Limit.OrAll limit) {
        return cairn.list(
                PATH + "/list",
                parameters("search", "accurate", "role", role),
                limit,
                Column.of("ROLE", "role"),
                Column.of("RESOURCE", "resource"),
                Column.of("ACTION", "action"));
    }

    static final class Right {

        @Parameters(index = "0", paramLabel = "ROLE")
        private String role = "";

        @Parameters(
                index = "1",
                paramLabel = "RESOURCE",
                description = "namespace:group:type/name, such as dev:*:config/*")
        private String resource = "";

        @Parameters(index = "2", paramLabel = "ACTION", description = "r, w, rw or drain")
        private String action = "";

        Map<String, String> parameters() {
            return Api.parameters("role", role, "resource", resource, "action", action);
        }

        boolean isThat(Object row) {
            return Json.text(row, "role").equals(role)
                    && Json.text(row, "resource").equals(resource)
                    && Json.text(row, "action").equals(action);
        }

        @Override
        public String toString() {
            return action + ' ' + resource;
        }
    }

    @Command(name = "grant", description = "Grants a right to a role.")
    int grant(@Mixin Right right) {
        Object result = cairn.api().post(PATH, right.parameters());
        cairn.printer().done(result, right.role + " has " + right);
        return 0;
    }

    @Command(name = "revoke", description = "Revokes a right of a role.")
    int revoke(@Mixin Right right) {
        boolean known = cairn.isPresent(
                "right " + right + " of role " + right.role,
                PATH + "/list",
                parameters("search", "accurate", "role", right.role),
                right::isThat);
        Object result = cairn.api().delete(PATH, right.parameters());
        cairn.deleted(result, known, "Revoked", "right " + right + " of " + right.role);
        return 0;
    }
}
