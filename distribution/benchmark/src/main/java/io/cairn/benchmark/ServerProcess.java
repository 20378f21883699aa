package io.cairn.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The figures that the operating system and the JVM give for a running Java process on this machine. */
record ServerProcess(long pid) {
    /** The length of one tick of /proc/pid/stat: CLK_TCK is 100 on every supported Linux. */
    private static final long TICK_MICROS = 10_000;

    private static final int JCMD_SECONDS = 60;
    private static final Pattern HISTOGRAM_TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");

    /** User and system time so far, in steps of 10 ms. */
    long cpuMicros() {
        String stat = read("stat");
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * TICK_MICROS;
    }

    /**
     * The average number of cores used during the next {@code time}. Finer than {@link #cpuMicros}, so it suits low
     * load. Threads that end during that time are not counted.
     */
    double coresDuring(Duration time) throws InterruptedException {
        DoubleSupplier cores = coresFromNow();
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        return cores.getAsDouble();
    }

    /** Like {@link #coresDuring}, from now until the result is requested. */
    DoubleSupplier coresFromNow() {
        DoubleSupplier seconds = cpuSecondsFromNow();
        long start = System.nanoTime();
        return () -> seconds.getAsDouble() * 1e9 / (System.nanoTime() - start);
    }

    /** The CPU time that its threads take from now until the answer is asked for; as fine as {@link #coresDuring}. */
    DoubleSupplier cpuSecondsFromNow() {
        Map<Path, Long> before = threadNanos();
        return () -> {
            long nanos = 0;
            for (Map.Entry<Path, Long> thread : threadNanos().entrySet()) {
                nanos += thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
            }
            return nanos / 1e9;
        };
    }

    private Map<Path, Long> threadNanos() {
        var nanos = new HashMap<Path, Long>();
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                try {
                    String stat = Files.readString(thread.resolve("schedstat"));
                    nanos.put(thread, Long.parseLong(stat.substring(0, stat.indexOf(' '))));
                } catch (IOException e) {
                    // The thread has ended since it was listed.
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return nanos;
    }

    boolean isRunning() {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    long residentKilobytes() {
        return line("status", "VmRSS");
    }

    long threads() {
        return line("status", "Threads");
    }

    /**
     * Output of a process so far.
     *
     * @param bytes passed to write calls, for files and sockets alike
     * @param calls write calls, for files and sockets alike
     * @param diskBytes bytes of the pages that go to a disk; a page rewritten before it is flushed counts once
     */
    record Writes(long bytes, long calls, long diskBytes) {
        Writes minus(Writes before) {
            return new Writes(bytes - before.bytes, calls - before.calls, diskBytes - before.diskBytes);
        }
    }

    /** Readable only by the user of the process. */
    Writes writes() {
        return new Writes(line("io", "wchar"), line("io", "syscw"), line("io", "write_bytes"));
    }

    private long line(String file, String name) {
        Matcher line = Pattern.compile("(?m)^" + name + ":\\s+(\\d+)").matcher(read(file));
        if (!line.find()) {
            throw new BenchmarkException("/proc/" + pid + '/' + file + " has no " + name);
        }
        return Long.parseLong(line.group(1));
    }

    private String read(String file) {
        Path path = Path.of("/proc", Long.toString(pid), file);
        try {
            return Files.readString(path);
        } catch (NoSuchFileException e) {
            throw new BenchmarkException("--pid: " + pid + " (expected: a running process; is " + path + " missing?)");
        } catch (AccessDeniedException e) {
            throw new BenchmarkException(path + " cannot be read; run the benchmark as the user of the server");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Bytes of all reachable objects, after two full collections: the second frees the memory released by cleaners
     * during the first.
     */
    long liveHeapBytes() {
        jcmd("GC.run");
        Matcher total = HISTOGRAM_TOTAL.matcher(jcmd("GC.class_histogram"));
        if (!total.find()) {
            throw new BenchmarkException("jcmd " + pid + " GC.class_histogram printed no total");
        }
        return Long.parseLong(total.group(1));
    }

    private String jcmd(String command) {
        Path own = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        String program = Files.isExecutable(own) ? own.toString() : "jcmd";
        try {
            Path output = Files.createTempFile("cairn-benchmark", ".jcmd");
            try {
                Process process = new ProcessBuilder(List.of(program, Long.toString(pid), command))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
                boolean ended = process.waitFor(JCMD_SECONDS, TimeUnit.SECONDS);
                if (!ended) {
                    process.destroyForcibly();
                }
                String text = Files.readString(output, StandardCharsets.UTF_8);
                if (!ended || process.exitValue() != 0) {
                    throw new BenchmarkException(program + " " + pid + " " + command + " failed: "
                            + text.lines().findFirst().orElse("no answer within " + JCMD_SECONDS + " s"));
                }
                return text;
            } finally {
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchmarkException("interrupted");
        }
    }
}
