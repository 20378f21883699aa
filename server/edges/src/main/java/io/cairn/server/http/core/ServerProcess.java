package io.cairn.server.http.core;

import io.cairn.server.limit.Limit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The process of this server: its Java, folders and limits. Access to the disk may block.
 *
 * @param version of Cairn
 * @param home of the installation
 * @param logFile empty without a log file
 */
public record ServerProcess(String version, Path home, Path data, String logFile, Limit openFiles) {

    /**
     * The process for administrators.
     *
     * @param startTime epoch milliseconds
     * @param diskFree bytes, as diskTotal and maxHeap
     */
    public record ProcessDescription(
            String version,
            long pid,
            long startTime,
            String javaVersion,
            String javaHome,
            String home,
            String dataFolder,
            long diskFree,
            long diskTotal,
            String logFile,
            long maxHeap,
            long openFiles,
            long maxOpenFiles) {}

    public ProcessDescription describe() {
        try {
            FileStore disk = Files.getFileStore(data);
            return new ProcessDescription(
                    version,
                    ProcessHandle.current().pid(),
                    ManagementFactory.getRuntimeMXBean().getStartTime(),
                    System.getProperty("java.version"),
                    System.getProperty("java.home"),
                    home.toAbsolutePath().normalize().toString(),
                    data.toAbsolutePath().normalize().toString(),
                    disk.getUsableSpace(),
                    disk.getTotalSpace(),
                    logFile,
                    Runtime.getRuntime().maxMemory(),
                    openFiles.used(),
                    openFiles.max());
        } catch (IOException e) {
            throw new UncheckedIOException(data + ": its disk cannot be looked at", e);
        }
    }
}
