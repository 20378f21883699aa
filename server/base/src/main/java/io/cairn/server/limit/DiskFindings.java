package io.cairn.server.limit;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

public final class DiskFindings implements FindingSource {

    private static final double FULL = 0.9;
    private static final double URGENT = 0.98;

    private final Path folder;

    public DiskFindings(Path folder) {
        this.folder = folder;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        try {
            FileStore disk = Files.getFileStore(folder);
            long total = disk.getTotalSpace();
            long used = total - disk.getUsableSpace();
            return total <= 0 || used < total * FULL
                    ? List.of()
                    : List.of(new Finding(
                            Finding.Kind.DISK_FULL, used >= total * URGENT, folder.toString(), "", "", used, total));
        } catch (IOException e) {
            throw new UncheckedIOException(folder + ": its disk cannot be looked at", e);
        }
    }
}
