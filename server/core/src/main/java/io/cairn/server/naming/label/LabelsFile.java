package io.cairn.server.naming.label;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of labels, in the format of {@link AddressLabels#read}. Read periodically; an unusable one changes nothing. Labels are
 * passed on under the lock, so that the last read applies.
 */
public final class LabelsFile {

    private static final Logger log = LoggerFactory.getLogger(LabelsFile.class);
    private static final long MAX_BYTES = 8L * 1024 * 1024;

    private final Path file;
    private final Consumer<AddressLabels> use;

    @GuardedBy("this")
    private String seen;

    @GuardedBy("this")
    private @Nullable String complaint;

    /** @throws CairnException {@code INVALID_PARAMETER} with file, problem and remedy */
    public LabelsFile(Path file, Consumer<AddressLabels> use) {
        this.file = file;
        this.use = use;
        this.seen = text();
        use(seen);
    }

    /**
     * Reads a changed file. Blocks on it.
     *
     * @return whether new labels are in use
     */
    public synchronized boolean reload() {
        try {
            String text = text();
            if (text.equals(seen)) {
                complaint = null;
                return false;
            }
            use(text);
            seen = text;
            complaint = null;
            return true;
        } catch (CairnException e) {
            // Logged once for each problem, not on every read.
            if (!e.text().equals(complaint)) {
                complaint = e.text();
                log.warn("The labels of addresses from before stay in use: {}", e.text());
            }
            return false;
        }
    }

    private void use(String text) {
        AddressLabels labels;
        try {
            labels = AddressLabels.read(text);
        } catch (CairnException e) {
            throw refused(e.text(), e);
        }
        use.accept(labels);
        log.info("{} has labels for {} addresses, subnets and names", file, labels.size());
    }

    private String text() {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw refused("is larger than " + MAX_BYTES + " bytes (expected: subnets rather than addresses)", null);
            }
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            throw refused("is not there (make it, or take the setting out)", e);
        } catch (AccessDeniedException e) {
            throw refused("may not be read by the user that runs the server", e);
        } catch (CharacterCodingException e) {
            throw refused("is not UTF-8", e);
        } catch (IOException e) {
            throw refused(String.valueOf(e.getMessage()), e);
        }
    }

    private CairnException refused(String what, @Nullable Exception cause) {
        return new CairnException(
                ErrorCode.INVALID_PARAMETER, "cairn.naming.labels-file: " + file + ": " + what, cause);
    }
}
