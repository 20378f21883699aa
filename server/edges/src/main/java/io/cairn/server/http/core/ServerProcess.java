package io.cairn.server.http.core;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.limit.Limit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The process that a server is: its Java, its folders and what it may take. Thread-safe; looking at the disk may block.
 *
 * @param version of Cairn
 * @param home the folder of the installation
 * @param data the folder of what is stored
 * @param logFile empty when it logs to no file
 */
public record ServerProcess(String version, Path home, Path data, String logFile, Limit openFiles) {

    /** All of it as JSON. */
    public byte[] json() {
        try {
            FileStore disk = Files.getFileStore(data);
            return new JsonOutput(512)
                    .text("version", version)
                    .number("pid", ProcessHandle.current().pid())
                    .number("startTime", ManagementFactory.getRuntimeMXBean().getStartTime())
                    .text("javaVersion", System.getProperty("java.version"))
                    .text("javaHome", System.getProperty("java.home"))
                    .text("home", home.toAbsolutePath().normalize().toString())
                    .text("dataFolder", data.toAbsolutePath().normalize().toString())
                    .number("diskFree", disk.getUsableSpace())
                    .number("diskTotal", disk.getTotalSpace())
                    .text("logFile", logFile)
                    .number("maxHeap", Runtime.getRuntime().maxMemory())
                    .number("openFiles", openFiles.used())
                    .number("maxOpenFiles", openFiles.max())
                    .toBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(data + ": its disk cannot be looked at", e);
        }
    }
}
