package io.cairn.cli;

import io.cairn.cli.Printer.Column;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "gray",
        description = "Releases of a configuration to some clients.",
        synopsisSubcommandLabel = "COMMAND")
final class GrayCommands extends Group {

    private static final String CONFIG = "/v3/admin/cs/config";
    private static final String RELEASES = CONFIG + "/gray";
    private static final String PAGE_SIZE = "500";

    GrayCommands(Cairn cairn) {
        super(cairn);
    }

    /** The rule of a release. */
    static final class Rule {

        @Option(names = "--name", required = true, paramLabel = "NAME", description = "the name of the release")
        private String name = "";

        @ArgGroup(multiplicity = "1")
        private @Nullable Clients clients;

        @Option(
                names = "--priority",
                paramLabel = "N",
                converter = Numbers.Count.class,
                description = "of several releases that match a client, the highest applies (default: 0)")
        private @Nullable Integer priority;

        static final class Clients {

            @Option(names = "--labels", paramLabel = "CONDITION", description = "as 'zone in (a, b) && version != 1.2'")
            private @Nullable String labels;

            @Option(names = "--percent", paramLabel = "N", description = "a share of the clients, from 0.01 to 100")
            private @Nullable String percent;

            @Option(names = "--addresses", paramLabel = "IP,...")
            private @Nullable String addresses;

            @Option(names = "--tag", paramLabel = "TAG")
            private @Nullable String tag;
        }

        Map<String, String> with(Map<String, String> key) {
            Clients of = Objects.requireNonNull(clients);
            Map<String, String> all = new LinkedHashMap<>(key);
            String type = "label";
            if (of.percent != null) {
                type = "percentage";
            } else if (of.addresses != null) {
                type = "beta";
            } else if (of.tag != null) {
                type = "tag";
            }
            String expression = Stream.of(of.labels, of.percent, of.addresses, of.tag)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElseThrow();
            all.putAll(Api.parameters(
                    "grayName", name,
                    "grayType", type,
                    "grayRuleExp", expression,
                    "grayPriority", priority == null ? null : Integer.toString(priority)));
            return all;
        }
    }

    @Command(
            name = "list",
            description = "Lists the releases of a configuration, the one that applies first at the top.")
    int list(@Mixin ConfigCommands.Key key) {
        List<?> releases = Json.items(cairn.api().get(RELEASES, key.with(cairn)));
        cairn.printer()
                .table(
                        releases,
                        releases,
                        Column.of("NAME", "grayName"),
                        Column.of("RULE", "grayRule"),
                        Column.of("MD5", "md5"));
        return 0;
    }

    @Command(
            name = "preview",
            description = "Lists the connected clients that a release would select, without publishing it.")
    int preview(@Mixin ConfigCommands.Key key, @Mixin Rule rule) {
        Map<String, String> asked = rule.with(key.with(cairn, "pageNo", "1", "pageSize", PAGE_SIZE));
        Object preview = cairn.api().get(RELEASES + "/preview", asked);
        List<?> clients = Json.items(Json.fields(preview).get("clients"));
        cairn.printer()
                .table(
                        preview,
                        clients,
                        Column.of("ADDRESS", "ip"),
                        Column.of("APPLICATION", "app"),
                        Column.of("IDENTITY", "identity"),
                        Column.of("HAS", "md5"),
                        Column.of("RELEASE NOW", "before"),
                        Column.of("GETS IT", "gets"),
                        Column.of("NODE", "node"));
        cairn.errors()
                .println(Json.text(preview, "gets") + " of " + Json.text(preview, "listeners")
                        + " clients would get the release"
                        + (clients.size() < Long.parseLong(Json.text(preview, "selected"))
                                ? "; the first " + clients.size() + " are listed"
                                : ""));
        return 0;
    }

    @Command(name = "publish", description = "Publishes a content to the clients of a rule.")
    int publish(
            @Mixin ConfigCommands.Key key,
            @Mixin Rule rule,
            @Option(
                            names = {"-f", "--file"},
                            paramLabel = "FILE",
                            defaultValue = "-",
                            description = "default: standard input")
                    String file) {
        String content = cairn.text(file);
        if (content.isBlank()) {
            throw new Failure((file.equals("-") ? "standard input" : file) + " is empty (expected: a content)");
        }
        Map<String, String> form = rule.with(key.with(cairn, "content", content));
        cairn.api().post(CONFIG, form);
        cairn.printer().done(key.with(cairn, "action", "published"), "Published " + key + " as release " + rule.name);
        return 0;
    }

    @Command(name = "remove", description = "Removes a release; its clients get the content for all.")
    int remove(
            @Mixin ConfigCommands.Key key,
            @Option(names = "--name", required = true, paramLabel = "NAME") String name) {
        cairn.api().delete(CONFIG, key.with(cairn, "grayName", name));
        cairn.printer().done(key.with(cairn, "action", "removed"), "Removed release " + name + " of " + key);
        return 0;
    }
}
