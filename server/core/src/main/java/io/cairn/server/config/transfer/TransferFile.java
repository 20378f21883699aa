package io.cairn.server.config.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A finished archive. Its receiver closes it, which deletes the file. */
public record TransferFile(Path path, long sizeBytes) implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(TransferFile.class);

    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.warn("{} cannot be deleted; it is no longer needed", path, e);
        }
    }
}
