package io.cairn.cli;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

final class Upload {

    private Upload() {}

    static void checkNoFolder(Path file) {
        if (Files.isDirectory(file)) {
            throw new Failure(file + ": a folder (expected: a file)");
        }
    }

    static void checkReadable(Path file) {
        checkNoFolder(file);
        if (!Files.isReadable(file)) {
            throw new Failure(file + ": no such file, or not readable");
        }
    }

    /** @throws Failure for a missing file or a folder */
    static HttpRequest.Builder of(HttpRequest.Builder request, Path file) throws IOException {
        checkReadable(file);
        String boundary = "cairn-" + UUID.randomUUID();
        String head = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"archive\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n";
        try {
            return request.header("Content-Type", "multipart/form-data; boundary=" + boundary)
                    .POST(HttpRequest.BodyPublishers.concat(
                            HttpRequest.BodyPublishers.ofString(head, StandardCharsets.US_ASCII),
                            HttpRequest.BodyPublishers.ofFile(file),
                            HttpRequest.BodyPublishers.ofString("\r\n--" + boundary + "--\r\n")));
        } catch (FileNotFoundException e) {
            throw new Failure(file + ": no such file", e);
        }
    }
}
