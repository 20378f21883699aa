package io.cairn.cli;

import static io.cairn.cli.DoctorCommand.Finding.ok;
import static io.cairn.cli.DoctorCommand.Finding.warn;

import io.cairn.cli.DoctorCommand.Finding;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

final class ProcessChecks {

    private final Cairn cairn;

    ProcessChecks(Cairn cairn) {
        this.cairn = cairn;
    }

    /** Adds the results; returns the server's data about its process, or null without the right. */
    @Nullable
    Object run(List<Finding> findings) {
        Object process;
        try {
            process = cairn.api().get("/v3/admin/core/process", Map.of());
        } catch (Failure e) {
            findings.add(warn(
                    "java",
                    "the server was not asked for its Java, folders and disk: " + e.getMessage(),
                    "run this as an administrator, by --user or --token-file"));
            return null;
        }
        String version = Json.text(process, "javaVersion");
        String java = version + " in " + Json.text(process, "javaHome") + " runs the server (process "
                + Json.text(process, "pid") + ')';
        findings.add(HomeChecks.java("java", version, java));
        findings.add(HomeChecks.disk(
                "data", Path.of(Json.text(process, "dataFolder")), Long.parseLong(Json.text(process, "diskFree"))));
        long files = Long.parseLong(Json.text(process, "maxOpenFiles"));
        String open = Json.text(process, "openFiles") + " of " + files + " are open";
        findings.add(
                files > 0 && files < HomeChecks.FEW_FILES
                        ? warn("files", open, "allow 65536 or more (ulimit -n, LimitNOFILE): each connection takes one")
                        : ok("files", files == 0 ? "the system sets no limit" : open));
        return process;
    }
}
