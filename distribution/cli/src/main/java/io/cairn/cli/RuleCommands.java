package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.cli.Printer.Column;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "rule",
        description = "Rules that give roles to callers of the issuer.",
        synopsisSubcommandLabel = "COMMAND")
final class RuleCommands extends Group {

    private static final String PATH = "/v3/admin/auth/rule";

    private static final String CLAIM = "claim of the token, such as groups; a dot leads into a claim";
    private static final String VALUE = "value of the claim; * stands for any characters";
    private static final String ROLE = "role of this server; ROLE_ADMIN makes administrators";

    RuleCommands(Cairn cairn) {
        super(cairn);
    }

    @Command(name = "list", description = "Lists the rules of the settings, and the stored ones with their ids.")
    int list(@Mixin Limit.OrAll limit) {
        return cairn.list(
                PATH + "/list",
                parameters(),
                limit,
                Column.of("ID", "id"),
                Column.of("CLAIM", "claim"),
                Column.of("VALUE", "value"),
                Column.of("ROLE", "role"),
                Column.of("SOURCE", "source"),
                Column.of("CHANGED BY", "changedBy"),
                Column.at("CHANGED", "changedAt"));
    }

    @Command(name = "create", description = "Stores a rule.")
    int create(
            @Parameters(index = "0", paramLabel = "CLAIM", description = CLAIM) String claim,
            @Parameters(index = "1", paramLabel = "VALUE", description = VALUE) String value,
            @Parameters(index = "2", paramLabel = "ROLE", description = ROLE) String role) {
        return saved(cairn.api().post(PATH, parameters("claim", claim, "value", value, "role", role)));
    }

    @Command(name = "update", description = "Replaces a stored rule.")
    int update(
            @Parameters(index = "0", paramLabel = "ID") String id,
            @Parameters(index = "1", paramLabel = "CLAIM", description = CLAIM) String claim,
            @Parameters(index = "2", paramLabel = "VALUE", description = VALUE) String value,
            @Parameters(index = "3", paramLabel = "ROLE", description = ROLE) String role) {
        return saved(cairn.api().put(PATH, parameters("id", id, "claim", claim, "value", value, "role", role)));
    }

    private int saved(@Nullable Object answer) {
        boolean isAdmin = Boolean.TRUE.equals(Json.fields(answer).get("globalAdmin"));
        cairn.printer()
                .done(
                        answer,
                        "Rule " + Json.text(answer, "id") + ": " + Json.text(answer, "claim") + '='
                                + Json.text(answer, "value") + " -> " + Json.text(answer, "role")
                                + (isAdmin ? " (its callers are administrators)" : ""));
        return 0;
    }

    @Command(name = "delete", description = "Deletes a stored rule.")
    int delete(@Parameters(paramLabel = "ID") String id) {
        Object result = cairn.api().delete(PATH, parameters("id", id));
        cairn.printer().done(result, "Rule " + id + " gives no role any more");
        return 0;
    }
}
