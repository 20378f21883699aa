package io.cairn.cli;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

final class BackupCommands {

    private BackupCommands() {}

    @Command(name = "backup", description = "Writes all stored data of a running server into a file.")
    static final class Backup implements Callable<Integer> {

        private final Cairn cairn;

        @Parameters(paramLabel = "FILE")
        private Path file = Path.of("");

        @Option(names = "--no-history", description = "leave out former contents of configurations")
        private boolean noHistory;

        @Option(names = "--audit", description = "include the audit log")
        private boolean audit;

        Backup(Cairn cairn) {
            this.cairn = cairn;
        }

        @Override
        public Integer call() throws IOException {
            cairn.api()
                    .download(
                            cairn.api()
                                    .request(
                                            "/v3/admin/core/backup",
                                            Api.parameters(
                                                    "history",
                                                    noHistory ? "false" : null,
                                                    "audit",
                                                    audit ? "true" : null))
                                    .timeout(Duration.ofHours(1))
                                    .GET(),
                            file,
                            archive -> {});
            long bytes = Files.size(file);
            cairn.printer()
                    .done(Map.of("file", file.toString(), "bytes", bytes), "Wrote " + file + ", " + bytes + " bytes");
            return 0;
        }
    }

    @Command(
            name = "restore",
            description = "Replaces the stored data of a server with a backup, also on another kind of database.")
    static final class Restore implements Callable<Integer> {

        private final Cairn cairn;

        @Parameters(paramLabel = "FILE")
        private Path file = Path.of("");

        @Option(names = "--dry-run", description = "print the result without storing anything")
        private boolean dryRun;

        @Option(names = "--overwrite", description = "restore even if the server has data, which are deleted")
        private boolean overwrite;

        Restore(Cairn cairn) {
            this.cairn = cairn;
        }

        @Override
        public Integer call() throws IOException {
            Upload.checkReadable(file);
            Object result = Api.data(cairn.api()
                    .send(cairn.api()
                            .request(
                                    "/v3/admin/core/restore",
                                    Api.parameters(
                                            "overwrite", overwrite ? "true" : null, "dryRun", dryRun ? "true" : null))
                            .timeout(Duration.ofHours(1))
                            .header("Content-Type", "application/octet-stream")
                            .POST(HttpRequest.BodyPublishers.ofFile(file))));
            cairn.printer().done(result, (dryRun ? "Would restore " : "Restored ") + told(result));
            return 0;
        }

        /** Such as "5 configs, 1 users of the backup made at ...". */
        private static String told(@Nullable Object result) {
            String rows = Json.items(Json.fields(result).get("sections")).stream()
                    .filter(section -> !Json.text(section, "rows").equals("0"))
                    .map(section -> Json.text(section, "rows") + ' ' + Json.text(section, "name"))
                    .collect(Collectors.joining(", "));
            return (rows.isEmpty() ? "nothing" : rows) + " of the backup made at " + Json.text(result, "at");
        }
    }
}
