package io.cairn.junit.processes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * An archive of the server's classes (class data sharing), which saves a third of the CPU of a start. It is valid for one JDK
 * and the jars of its folder. Thread-safe.
 */
final class ClassArchive {

    private static final System.Logger LOG = System.getLogger(ClassArchive.class.getName());

    private static final long PATIENCE_SECONDS = 60;

    private final @Nullable Path file;

    private final Path jcmd;

    /** @param folder of the jars and the archive; null disables the archive */
    ClassArchive(@Nullable Path folder) {
        Path jdk = Path.of(System.getProperty("java.home"));
        CRC32 sum = new CRC32();
        sum.update((jdk + " " + Runtime.version() + ' ' + System.getProperty("java.vm.name"))
                .getBytes(StandardCharsets.UTF_8));
        file = folder == null ? null : folder.resolve("classes-" + Long.toHexString(sum.getValue()) + ".jsa");
        jcmd = jdk.resolve("bin").resolve("jcmd");
    }

    private boolean isRecorded() {
        return file != null && Files.isRegularFile(file);
    }

    private boolean canBeRecorded() {
        return file != null && !isRecorded() && Files.isExecutable(jcmd);
    }

    /** The JVM options that use the archive, or that allow recording it. */
    List<String> flags() {
        if (isRecorded()) {
            return List.of("-XX:SharedArchiveFile=" + file, "-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off");
        }
        return canBeRecorded() ? List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:+RecordDynamicDumpInfo") : List.of();
    }

    /**
     * Records the classes of a running JVM, which pauses for some seconds, unless an archive exists. A failure is only logged.
     */
    void record(long pid) {
        Path target = file;
        if (target == null || !canBeRecorded()) {
            return;
        }
        Path draft = target.resolveSibling(target.getFileName() + "." + pid);
        Path said = target.resolveSibling(draft.getFileName() + ".out");
        Process dump = null;
        try {
            dump = new ProcessBuilder(jcmd.toString(), Long.toString(pid), "VM.cds", "dynamic_dump", draft.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            if (!dump.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(System.Logger.Level.INFO, "no class archive in {0} s: {1}", PATIENCE_SECONDS, target);
            } else if (!Files.isRegularFile(draft)) {
                LOG.log(System.Logger.Level.INFO, "no class archive {0}: {1}", target, Files.readString(said));
            } else {
                Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.INFO, "no class archive " + target, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (dump != null) {
                dump.destroyForcibly();
            }
            delete(draft);
            delete(said);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.INFO, file + " cannot be deleted", e);
        }
    }
}
