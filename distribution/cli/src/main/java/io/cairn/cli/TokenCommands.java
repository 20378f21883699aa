package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "token", description = "Tokens of programs.", synopsisSubcommandLabel = "COMMAND")
final class TokenCommands extends Group {

    private static final String PATH = "/v3/admin/auth/token";

    TokenCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(name = "list", description = "Lists tokens; their secret text is not stored.")
    int list(@Mixin Limit.OrAll limit) {
        return cairn.list(
                PATH + "/list",
                parameters("search", "blur"),
                limit,
                Column.of("ID", "id"),
                Column.of("NAME", "name"),
                Column.of("MADE BY", "createdBy"),
                new Column("SCOPES", row -> scopes(Json.fields(row).get("scopes"))),
                Column.at("EXPIRES", "expiresAt"),
                Column.at("REVOKED", "revokedAt"));
    }

    private static String scopes(@Nullable Object scopes) {
        return scopes instanceof String text ? text : scopes == null ? "" : Json.write(scopes);
    }

    @Command(name = "create", description = "Creates a token and prints it once.")
    int create(
            @Parameters(paramLabel = "NAME") String name,
            @Option(
                            names = "--scope",
                            required = true,
                            paramLabel = "'ACTION RESOURCE'",
                            description = "such as 'rw dev:*:config/*'; may be repeated")
                    List<String> scopes,
            @Option(
                            names = "--ttl",
                            required = true,
                            paramLabel = "SECONDS",
                            description = "lifetime in seconds, at most 31622400 (366 days)")
                    String ttl) {
        Object token =
                cairn.api().post(PATH, parameters("name", name, "scopes", String.join(",", scopes), "ttlSeconds", ttl));
        cairn.printer().done(token, Json.text(token, "token"));
        return 0;
    }

    @Command(name = "revoke", description = "Revokes a token.")
    int revoke(@Parameters(paramLabel = "ID") String id) {
        Object result = cairn.api().delete(PATH, parameters("id", id));
        cairn.printer().done(result, "Token " + id + " is no longer good");
        return 0;
    }
}
