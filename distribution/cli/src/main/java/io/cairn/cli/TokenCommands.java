package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import java.util.List;
import java.util.stream.Collectors;
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

    @Command(
            name = "explain",
            description = "Shows whether a token is accepted, whose it is, its roles by rules, and its rights."
                    + " Exit status 1 for a token that is refused.")
    int explain(
            @Parameters(paramLabel = "FILE", description = "file with the token; - for the standard input")
                    String file) {
        Object answer = cairn.api().post(PATH + "/explain", parameters("token", cairn.tokenOf("FILE", file)));
        boolean isAccepted = Boolean.TRUE.equals(Json.fields(answer).get("accepted"));
        cairn.printer().done(answer, isAccepted ? accepted(answer) : "Refused: " + Json.text(answer, "refusal"));
        return isAccepted ? 0 : 1;
    }

    private static String accepted(@Nullable Object answer) {
        StringBuilder text = new StringBuilder("Accepted: ")
                .append(Json.text(answer, "username"))
                .append(" (")
                .append(Json.text(answer, "kind"))
                .append(')');
        if (!Json.text(answer, "source").isEmpty()) {
            text.append("\nsource:      ").append(Json.text(answer, "source"));
            text.append("\nsubject:     ").append(Json.text(answer, "subject"));
            text.append("\nrules:       ").append(listed(answer, "rules", "; ", "none matches"));
        }
        text.append("\nroles:       ").append(listed(answer, "roles", ", ", "none"));
        boolean isAdmin = Boolean.TRUE.equals(Json.fields(answer).get("globalAdmin"));
        text.append("\npermissions: ").append(isAdmin ? "all, as an administrator" : permissions(answer));
        return text.toString();
    }

    private static String listed(@Nullable Object answer, String field, String between, String none) {
        List<?> values = Json.items(Json.fields(answer).get(field));
        return values.isEmpty() ? none : values.stream().map(String::valueOf).collect(Collectors.joining(between));
    }

    private static String permissions(@Nullable Object answer) {
        List<?> rights = Json.items(Json.fields(answer).get("permissions"));
        return rights.isEmpty()
                ? "none"
                : rights.stream()
                        .map(right -> Json.text(right, "action")
                                + ' '
                                + Json.text(right, "resource")
                                + (Json.text(right, "role").isEmpty() ? "" : " (" + Json.text(right, "role") + ')'))
                        .collect(Collectors.joining("; "));
    }

    @Command(name = "revoke", description = "Revokes a token.")
    int revoke(@Parameters(paramLabel = "ID") String id) {
        Object result = cairn.api().delete(PATH, parameters("id", id));
        cairn.printer().done(result, "Token " + id + " is no longer good");
        return 0;
    }
}
