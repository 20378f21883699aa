package io.cairn.server.wiring.lifecycle;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

public final class FileTrouble {

    private FileTrouble() {}

    public static String of(IOException trouble) {
        if (trouble instanceof AccessDeniedException denied) {
            return "no permission for " + denied.getFile() + " (give it to the user that runs the server)";
        }
        if (trouble instanceof FileAlreadyExistsException exists) {
            return exists.getFile() + " is no folder (remove it)";
        }
        if (trouble instanceof NoSuchFileException missing) {
            return missing.getFile() + " cannot be made";
        }
        String reason = trouble instanceof FileSystemException of && of.getReason() != null
                ? of.getFile() + ": " + of.getReason()
                : String.valueOf(trouble.getMessage());
        return reason.contains("No space left") ? reason + " (free some)" : reason;
    }
}
