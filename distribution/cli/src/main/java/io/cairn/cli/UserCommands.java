package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "user", description = "Users.", synopsisSubcommandLabel = "COMMAND")
final class UserCommands extends Group {

    private static final String PATH = "/v3/auth/user";

    UserCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(name = "list", description = "Lists users.")
    int list(@Mixin Limit.OrAll limit) {
        return cairn.list(PATH + "/list", parameters("search", "blur"), limit, Column.of("USER", "username"));
    }

    @Command(name = "create", description = "Creates a user; the password is asked for, or read from a file.")
    int create(
            @Parameters(paramLabel = "NAME") String name,
            @Option(names = "--new-password-file", paramLabel = "FILE", description = "- for standard input") @Nullable
                    String file) {
        Object result = cairn.api().post(PATH, parameters("username", name, "password", cairn.passwordOf(name, file)));
        cairn.printer().done(result, "Created user " + name);
        return 0;
    }

    @Command(
            name = "password",
            description =
                    "Sets a user's password. Your own needs the current one: that of --user, or of --old-password-file.")
    int password(
            @Parameters(paramLabel = "NAME") String name,
            @Option(names = "--old-password-file", paramLabel = "FILE", description = "- for standard input") @Nullable
                    String oldFile,
            @Option(names = "--new-password-file", paramLabel = "FILE", description = "- for standard input") @Nullable
                    String file) {
        Api api = cairn.api();
        String old = oldFile != null ? cairn.passwordOf(name, oldFile) : cairn.loginPasswordOf(name);
        String chosen = cairn.passwordOf(name, file);
        Object result = api.put(
                PATH,
                old == null
                        ? parameters("username", name, "newPassword", chosen)
                        : parameters("username", name, "newPassword", chosen, "oldPassword", old));
        cairn.printer().done(result, "Password of " + name + " is set");
        return 0;
    }

    @Command(name = "delete", description = "Deletes a user.")
    int delete(@Parameters(paramLabel = "NAME") String name) {
        boolean known = cairn.isPresent(
                "user " + name, PATH + "/list", parameters("search", "accurate", "username", name), row -> Json.text(
                                row, "username")
                        .equals(name));
        Object result = cairn.api().delete(PATH, parameters("username", name));
        cairn.deleted(result, known, "Deleted", "user " + name);
        return 0;
    }

    @Command(name = "grant", description = "Grants a role to a user.")
    int grant(
            @Parameters(index = "0", paramLabel = "NAME") String name,
            @Parameters(index = "1", paramLabel = "ROLE") String role) {
        Object result = cairn.api().post("/v3/auth/role", parameters("username", name, "role", role));
        cairn.printer().done(result, name + " has role " + role);
        return 0;
    }

    @Command(name = "revoke", description = "Revokes a role of a user.")
    int revoke(
            @Parameters(index = "0", paramLabel = "NAME") String name,
            @Parameters(index = "1", paramLabel = "ROLE") String role) {
        boolean known = cairn.isPresent(
                "role " + role + " of user " + name,
                RoleCommands.LIST,
                parameters("search", "accurate", "username", name, "role", role),
                row -> Json.text(row, "username").equals(name)
                        && Json.text(row, "role").equals(role));
        Object result = cairn.api().delete("/v3/auth/role", parameters("username", name, "role", role));
        cairn.deleted(result, known, "Revoked", "role " + role + " of " + name);
        return 0;
    }
}
