package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import io.cairn.api.config.UnifiedDiff;
import io.cairn.cli.Printer.Column;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "config", description = "Configurations.", synopsisSubcommandLabel = "COMMAND")
final class ConfigCommands extends Group {

    private static final String PATH = "/v3/admin/cs/config";
    /** The entry of an archive that is not a configuration. */
    private static final String ATTRIBUTES = ".metadata.yml";

    private static final char FIELD = 2;
    private static final char RECORD = 1;

    /** The server's limit of a long poll. */
    private static final Duration POLL = Duration.ofSeconds(25);

    ConfigCommands(Cairn cairn) {
        super(cairn);
    }

    static final class Key {

        @Parameters(index = "0", paramLabel = "DATA_ID")
        private String dataId = "";

        @Option(
                names = {"-g", "--group"},
                paramLabel = "GROUP",
                description = "default: ${DEFAULT-VALUE}")
        private String group = "DEFAULT_GROUP";

        Map<String, String> with(Cairn cairn, @Nullable String... more) {
            Map<String, String> all =
                    parameters("dataId", dataId, "groupName", group, "namespaceId", cairn.namespace());
            all.putAll(parameters(more));
            return all;
        }

        @Override
        public String toString() {
            return group + '/' + dataId;
        }
    }

    @Command(name = "get", description = "Prints the stored content.")
    int get(@Mixin Key key) {
        Object config = cairn.api().get(PATH, key.with(cairn));
        if (cairn.printer().isJson()) {
            cairn.printer().json(config);
        } else {
            cairn.printer().raw(Json.text(config, "content"));
        }
        return 0;
    }

    @Command(
            name = "publish",
            description = "Publishes a content from a file or from standard input."
                    + " The stored type, description, tags and application are kept unless given.")
    int publish(
            @Mixin Key key,
            @Option(
                            names = {"-f", "--file"},
                            paramLabel = "FILE",
                            defaultValue = "-",
                            description = "default: standard input")
                    String file,
            @Option(
                            names = "--expect-md5",
                            paramLabel = "MD5",
                            description = "publish only when the stored content has this MD5")
                    @Nullable
                    String expected,
            @Option(names = "--validate", description = "refuse a content that is not well-formed in its type")
                    boolean validate,
            @Mixin PublishedAttributes given) {
        String content = cairn.text(file);
        if (content.isBlank()) {
            throw new Failure((file.equals("-") ? "standard input" : file) + " is empty (expected: a content)");
        }
        Map<String, String> form = key.with(cairn, "content", content, "validate", validate ? "true" : null);
        form.putAll(given.with(key.dataId, attributes(key), validate));
        if (expected != null) {
            checkStored(key, expected);
        }
        HttpRequest.Builder request = cairn.api().form("POST", PATH, form);
        if (expected != null) {
            request.header("casMd5", expected);
        }
        Api.data(cairn.api().send(request));
        cairn.printer().done(key.with(cairn, "action", "published"), "Published " + key);
        return 0;
    }

    /**
     * The server compares, too, in one step with the publish. But like Nacos it publishes without a comparison when no
     * configuration is stored.
     */
    private void checkStored(Key key, String expected) {
        if (expected.isBlank()) {
            throw usage("--expect-md5: empty (expected: the MD5 of what is stored, as config list shows it)");
        }
        Optional<Object> stored;
        try {
            stored = stored(key);
        } catch (Failure e) {
            Cairn.unreadable(e);
            return;
        }
        String actual = stored.map(config -> Json.text(config, "md5"))
                .orElseThrow(() -> new Failure(
                        "--expect-md5: there is no configuration " + key + " to compare with; nothing was published"));
        if (!actual.equals(expected)) {
            throw new Failure(
                    "--expect-md5: " + key + " has " + actual + " (expected: " + expected + "); nothing was published");
        }
    }

    /** The stored attributes; version 1 of the API returns all of them. Empty if absent. */
    private @Nullable Object attributes(Key key) {
        Map<String, String> asked =
                parameters("show", "all", "dataId", key.dataId, "group", key.group, "tenant", cairn.namespace());
        HttpResponse<String> answer =
                cairn.api().send(cairn.api().request("/v1/cs/configs", asked).GET());
        if (answer.statusCode() == 200 && answer.body().isEmpty()) {
            return Map.of();
        }
        try {
            return Api.bare(answer, "dataId");
        } catch (Failure e) {
            Cairn.unreadable(e);
            cairn.notice("what is stored of " + key
                    + " may not be read, so its description is not kept, and its type is that of its name unless"
                    + " --type is given");
            return Map.of();
        }
    }

    @Command(name = "delete", description = "Deletes a configuration; its history stays.")
    int delete(@Mixin Key key) {
        boolean known;
        try {
            known = stored(key).isPresent();
            if (!known) {
                throw Cairn.none("configuration " + key);
            }
        } catch (Failure e) {
            known = Cairn.unreadable(e);
        }
        cairn.api().delete(PATH, key.with(cairn));
        cairn.deleted(key.with(cairn, "action", "deleted"), known, "Deleted", key.toString());
        return 0;
    }

    @Command(name = "list", description = "Lists configurations; * stands for any text.")
    int list(
            @Parameters(arity = "0..1", paramLabel = "DATA_ID") @Nullable String dataId,
            @Option(
                            names = {"-g", "--group"},
                            paramLabel = "GROUP")
                    @Nullable
                    String group,
            @Option(names = "--type", paramLabel = "TYPE") @Nullable String type,
            @Mixin Limit.OrAll limit) {
        return show(parameters("dataId", dataId, "groupName", group, "type", type), limit);
    }

    @Command(name = "search", description = "Lists configurations whose content contains a text.")
    int search(@Parameters(paramLabel = "TEXT") String text, @Mixin Limit.OrAll limit) {
        return show(parameters("configDetail", text), limit);
    }

    private int show(Map<String, String> asked, Limit limit) {
        Map<String, String> all = new LinkedHashMap<>(asked);
        all.putAll(parameters("namespaceId", cairn.namespace(), "search", "blur"));
        return cairn.list(
                PATH + "/list",
                all,
                limit,
                Column.of("GROUP", "groupName"),
                Column.of("DATA ID", "dataId"),
                Column.of("TYPE", "type"),
                Column.of("MD5", "md5"),
                Column.at("CHANGED", "modifyTime"));
    }

    @Command(
            name = "diff",
            description = "Compares the stored content with a file, or two versions of the history."
                    + " Exit status 1 when the file differs.")
    int diff(
            @Mixin Key key,
            @Option(
                            names = {"-f", "--file"},
                            paramLabel = "FILE",
                            description = "- for standard input")
                    @Nullable
                    String file,
            @Option(
                            names = "--from",
                            paramLabel = "NID",
                            converter = Numbers.Version.class,
                            description = "of the history")
                    @Nullable
                    String from,
            @Option(
                            names = "--to",
                            paramLabel = "NID",
                            converter = Numbers.Version.class,
                            description = "default: present",
                            defaultValue = "present")
                    String to) {
        if ((file == null) == (from == null)) {
            throw usage("diff takes either --file or --from");
        }
        if (file == null) {
            Object result = cairn.api().get(PATH + "/compare", key.with(cairn, "from", from, "to", to));
            if (cairn.printer().isJson()) {
                cairn.printer().json(result);
            } else {
                cairn.printer().raw(Json.text(result, "diff"));
            }
            return 0;
        }
        String stored = Json.text(cairn.api().get(PATH, key.with(cairn)), "content");
        String difference = UnifiedDiff.between("stored", stored, file, cairn.text(file), Integer.MAX_VALUE)
                .text();
        if (cairn.printer().isJson()) {
            cairn.printer().json(Map.of("same", difference.isEmpty(), "diff", difference));
        } else {
            cairn.printer().raw(difference);
        }
        return difference.isEmpty() ? 0 : 1;
    }

    @Command(name = "history", description = "Lists the changes of a configuration, the newest first, or shows one.")
    int history(
            @Mixin Key key,
            @Option(
                            names = "--nid",
                            paramLabel = "NID",
                            converter = Numbers.ChangeId.class,
                            description = "the change whose content is shown")
                    @Nullable
                    String nid,
            @Mixin Limit.OrNewest limit) {
        if (nid != null) {
            Object change = cairn.api().get("/v3/admin/cs/history", key.with(cairn, "nid", nid));
            if (cairn.printer().isJson()) {
                cairn.printer().json(change);
            } else {
                cairn.printer().raw(Json.text(change, "content"));
            }
            return 0;
        }
        return cairn.list(
                "/v3/admin/cs/history/list",
                key.with(cairn),
                limit,
                Column.of("NID", "id"),
                Column.at("AT", "modifyTime"),
                new Column("WHAT", row -> operation(Json.text(row, "opType").strip())),
                Column.of("KIND", "publishType"),
                Column.of("BY", "srcUser"),
                Column.of("FROM", "srcIp"));
    }

    private static String operation(String letter) {
        return switch (letter) {
            case "I" -> "insert";
            case "U" -> "update";
            case "D" -> "delete";
            default -> letter;
        };
    }

    @Command(name = "rollback", description = "Undoes a change and all later ones with a new change.")
    int rollback(
            @Mixin Key key,
            @Parameters(index = "1", paramLabel = "NID", converter = Numbers.ChangeId.class) String nid) {
        Object result = cairn.api().post("/v3/admin/cs/history/rollback", key.with(cairn, "nid", nid));
        cairn.printer().done(result, "Undone change " + nid + " of " + key);
        return 0;
    }

    @Command(name = "export", description = "Writes configurations into a zip archive.")
    int export(
            @Parameters(paramLabel = "FILE") Path file,
            @Option(names = "--data-id", paramLabel = "PATTERN") @Nullable String dataId,
            @Option(
                            names = {"-g", "--group"},
                            paramLabel = "GROUP")
                    @Nullable
                    String group)
            throws IOException {
        cairn.api()
                .download(
                        cairn.api()
                                .request(
                                        PATH + "/export",
                                        parameters(
                                                "namespaceId",
                                                cairn.namespace().isEmpty() ? "public" : cairn.namespace(),
                                                "dataId",
                                                dataId,
                                                "groupName",
                                                group))
                                .GET(),
                        file,
                        archive -> checkNotEmpty(archive, cairn.namespace(), dataId, group));
        long bytes = Files.size(file);
        cairn.printer()
                .done(Map.of("file", file.toString(), "bytes", bytes), "Wrote " + file + ", " + bytes + " bytes");
        return 0;
    }

    /** An archive without configurations still has the entry for attributes. */
    private static void checkNotEmpty(Path archive, String namespace, @Nullable String dataId, @Nullable String group)
            throws IOException {
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            if (zip.stream()
                    .anyMatch(entry -> !entry.isDirectory() && !entry.getName().equals(ATTRIBUTES))) {
                return;
            }
        }
        throw new Failure("no configuration of namespace " + (namespace.isEmpty() ? "public" : namespace)
                + (group == null ? "" : ", --group " + group)
                + (dataId == null ? "" : ", --data-id " + dataId)
                + " matches; nothing was written");
    }

    @Command(name = "import", description = "Publishes the configurations of a zip archive.")
    int imports(
            @Parameters(paramLabel = "FILE") Path file,
            @Option(
                            names = "--policy",
                            paramLabel = "POLICY",
                            defaultValue = "ABORT_IF_DIFFERENT",
                            description = "for existing configurations: ABORT, ABORT_IF_DIFFERENT, SKIP or OVERWRITE"
                                    + " (default: ${DEFAULT-VALUE})")
                    String policy,
            @Option(names = "--dry-run", description = "print the result without storing anything") boolean dryRun)
            throws IOException {
        Object result = Api.data(cairn.api()
                .send(Upload.of(
                        cairn.api()
                                .request(
                                        PATH + "/import",
                                        parameters(
                                                "namespaceId",
                                                cairn.namespace(),
                                                "policy",
                                                policy,
                                                "dryRun",
                                                dryRun ? "true" : null)),
                        file)));
        if (dryRun) {
            List<?> items = Json.items(Json.fields(result).get("items"));
            cairn.printer()
                    .table(
                            result,
                            items,
                            Column.of("ACTION", "action"),
                            Column.of("GROUP", "groupName"),
                            Column.of("DATA ID", "dataId"));
            String left = notImported(result);
            if (!left.isEmpty() && !cairn.printer().isJson()) {
                cairn.printer().line(left.substring(2));
            }
            return 0;
        }
        List<?> failed = Json.items(Json.fields(result).get("failData"));
        String outcome = "Stored " + Json.text(result, "succCount") + ", left out " + Json.text(result, "skipCount")
                + notImported(result);
        if (failed.isEmpty()) {
            cairn.printer().done(result, outcome);
            return 0;
        }
        String first = Json.text(failed.get(0), "group") + '/' + Json.text(failed.get(0), "dataId");
        cairn.printer()
                .done(
                        result,
                        outcome + "; stopped at " + first
                                + ", which is there already (--policy SKIP leaves it, OVERWRITE replaces it)");
        return 1;
    }

    /** Files of the archive that were not imported, with reasons. */
    private static String notImported(@Nullable Object result) {
        StringBuilder left = new StringBuilder();
        for (Object entry : Json.items(Json.fields(result).get("unrecognizedData"))) {
            left.append(left.isEmpty() ? "; not imported: " : ", ")
                    .append(Json.text(entry, "itemName"))
                    .append(" (")
                    .append(Json.text(entry, "reason"))
                    .append(')');
        }
        return left.toString();
    }

    @Command(
            name = "watch",
            description = "Prints a content, and again after each change, until interrupted."
                    + " It waits for an unavailable server, and logs in again when its login expires.")
    int watch(
            @Mixin Key key,
            @Option(
                            names = "--count",
                            paramLabel = "N",
                            defaultValue = "0",
                            converter = Numbers.Count.class,
                            description = "end after this number of contents")
                    int count) {
        Reconnect reconnect = new Reconnect(cairn);
        String md5 = null;
        for (int seen = 0; ; ) {
            // Compares with the last printed content, so no change during an outage is missed.
            Optional<Object> config = reconnect.ask(() -> stored(key));
            cairn.noticeUnknownNamespace();
            String newest = config.map(present -> Json.text(present, "md5")).orElse("");
            if (!newest.equals(md5)) {
                md5 = newest;
                print(key, config.orElse(null));
                if (++seen == count) {
                    return 0;
                }
            }
            reconnect.ask(() -> awaitChange(key, newest));
        }
    }

    private Optional<Object> stored(Key key) {
        return cairn.api().find(PATH, key.with(cairn));
    }

    private void print(Key key, @Nullable Object config) {
        if (cairn.printer().isJson()) {
            cairn.printer().json(config);
        } else if (config == null) {
            cairn.errors().println("-- " + key + " does not exist");
        } else {
            cairn.errors()
                    .println("-- " + key + " md5 " + Json.text(config, "md5") + " of "
                            + Printer.time(Json.text(config, "modifyTime")));
            cairn.printer().line(Json.text(config, "content").stripTrailing());
        }
    }

    private HttpResponse<String> awaitChange(Key key, String md5) {
        StringBuilder record = new StringBuilder()
                .append(key.dataId)
                .append(FIELD)
                .append(key.group)
                .append(FIELD)
                .append(md5);
        if (!cairn.namespace().isEmpty()) {
            record.append(FIELD).append(cairn.namespace());
        }
        record.append(RECORD);
        String encoded = URLEncoder.encode(record.toString(), StandardCharsets.UTF_8);
        // As in Nacos, the server decodes the value once more than a form requires.
        HttpResponse<String> answer = cairn.api()
                .send(cairn.api()
                        .request("/v1/cs/configs/listener", Map.of())
                        .timeout(POLL.plus(cairn.timeout()))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .header("Long-Pulling-Timeout", Long.toString(POLL.toMillis()))
                        .POST(HttpRequest.BodyPublishers.ofString("Listening-Configs=" + encoded)));
        if (answer.statusCode() != 200) {
            throw Api.refused(answer);
        }
        return answer;
    }
}
