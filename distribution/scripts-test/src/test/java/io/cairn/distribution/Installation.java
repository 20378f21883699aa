package io.cairn.distribution;

import static io.cairn.testing.Patience.PATIENCE;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.server.process.PortPair;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A copy of the packed installation in its own folder and on its own ports, with the output of its scripts. Closing it
 * kills the processes that still run in it and deletes the folder.
 */
final class Installation implements AutoCloseable {
    static final Path PACKED = Path.of(System.getProperty("cairn.distribution"));

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final long SCRIPT_SECONDS = PATIENCE.multipliedBy(5).toSeconds();

    private final Path home;
    private final PortPair ports;
    private final Map<String, String> environment = new HashMap<>();

    /** The output of a script (standard output and error together) and its exit code. */
    record Answer(int status, String text) {}

    private Installation(Path home, PortPair ports) {
        this.home = home;
        this.ports = ports;
        environment.put("CAIRN_AOT", "off"); // another test covers the recording
        environment.put("CAIRN_MEMORY", "-Xms64m -Xmx512m");
        environment.put("CAIRN_OPTS", "-XX:TieredStopAtLevel=1"); // halves the CPU of a start
    }

    /** Creates it in a folder of this name; a line appended to its settings sets a free pair of ports. */
    static Installation create(Path parent, String name) throws IOException {
        Path home = Files.createDirectories(parent.resolve(name)).toRealPath();
        for (String part : List.of("bin", "conf", "lib")) {
            copy(PACKED.resolve(part), home.resolve(part));
        }
        var installation = new Installation(home, PortPair.free());
        installation.setting("server.port=" + installation.ports.http());
        return installation;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copy = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else if (file.startsWith(PACKED.resolve("conf"))) {
                    Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
                } else {
                    linkOrCopy(file, copy);
                }
            }
        }
    }

    /**
     * A hard link where the file system supports it: otherwise each test would write 45 MB of jars, which no test
     * changes. A script that was just written may also be busy: see {@link #script}.
     */
    private static void linkOrCopy(Path file, Path copy) throws IOException {
        try {
            Files.createLink(copy, file);
        } catch (UnsupportedOperationException | FileSystemException acrossFileSystems) {
            Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    /** Puts the {@link CairnServer} of this test in the place of the packed one. */
    void replaceServer() throws IOException {
        try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
            for (Path jar : jars.filter(Files::isRegularFile).toList()) {
                Files.delete(jar);
            }
        }
        String name = CairnServer.class.getName().replace('.', '/') + ".class";
        try (var out = new JarOutputStream(Files.newOutputStream(home.resolve("lib/cairn-server-0.jar")));
                InputStream code = CairnServer.class.getClassLoader().getResourceAsStream(name)) {
            out.putNextEntry(new JarEntry(name));
            code.transferTo(out);
        }
    }

    Path home() {
        return home;
    }

    PortPair ports() {
        return ports;
    }

    /** Appends a line to the settings. */
    void setting(String line) throws IOException {
        Files.writeString(home.resolve("conf/application.properties"), line + '\n', StandardOpenOption.APPEND);
    }

    Installation environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Puts a one-line shell script in front of the program of this name on the scripts' path. */
    Installation program(String name, String line) throws IOException {
        Path programs = Files.createDirectories(home.resolve("programs"));
        script(programs.resolve(name), line);
        return environment("PATH", programs + ":" + System.getenv("PATH"));
    }

    /**
     * Writes a shell script by a process of its own. A file that this JVM has open for writing is also open in each
     * process that another test starts at that moment, and cannot be executed until that process closes it.
     */
    static Path script(Path file, String line) throws IOException {
        Process shell = new ProcessBuilder(
                        "/bin/sh",
                        "-c",
                        "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$0\" && chmod +x \"$0\"",
                        file.toString(),
                        line)
                .redirectErrorStream(true)
                .start();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (shell.onExit().join().exitValue() != 0) {
            throw new IOException(file + " was not written: " + said);
        }
        return file;
    }

    Answer startup(String... options) throws Exception {
        return run(home.resolve("bin/startup.sh"), options);
    }

    Answer shutdown() throws Exception {
        return run(home.resolve("bin/shutdown.sh"));
    }

    Answer run(Path script, String... options) throws Exception {
        Path output = Files.createTempFile(home, "script", ".out");
        try {
            Process process =
                    builder(script, options).redirectOutput(output.toFile()).start();
            process.getOutputStream().close();
            if (!process.waitFor(SCRIPT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(script + " did not return: " + Files.readString(output));
            }
            return new Answer(process.exitValue(), Files.readString(output));
        } finally {
            Files.delete(output);
        }
    }

    /** The script as a process, started in a folder outside of the installation. */
    ProcessBuilder builder(Path script, String... options) {
        var command = new ArrayList<String>(List.of(script.toString()));
        command.addAll(List.of(options));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.directory(Path.of("/").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("CAIRN_") || name.endsWith("JAVA_OPTS"));
        builder.environment().putAll(environment);
        return builder;
    }

    /** The process in the pid file, if it runs. */
    Optional<ProcessHandle> server() throws IOException {
        Path file = home.resolve("data/cairn.pid");
        return Files.exists(file)
                ? ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                        .filter(ProcessHandle::isAlive)
                : Optional.empty();
    }

    /** The arguments of a process; {@link ProcessHandle.Info} has none for a Linux process with a long class path. */
    static List<String> commandLine(ProcessHandle process) {
        try {
            return List.of(Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .split("\0"));
        } catch (IOException noProc) {
            return process.info().arguments().map(List::of).orElse(List.of());
        }
    }

    /** The status and text of a GET. */
    Answer get(String path) throws Exception {
        return send(HttpRequest.newBuilder(uri(path)));
    }

    Answer post(String path) throws Exception {
        return send(HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.noBody()));
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + ports.http() + path);
    }

    private static Answer send(HttpRequest.Builder request) throws Exception {
        HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response.body());
    }

    @Override
    public void close() throws Exception {
        String argument = "-Dcairn.home=" + home;
        List<ProcessHandle> left = ProcessHandle.allProcesses()
                .filter(process -> commandLine(process).stream().anyMatch(a -> a.startsWith(argument)))
                .toList();
        for (ProcessHandle process : left) {
            process.destroyForcibly();
            process.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        // The scripts' shells also delete files, so a file may vanish during the deletion.
        await().ignoreExceptions().until(() -> {
            try (Stream<Path> files = Files.walk(home)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
            return true;
        });
    }
}
