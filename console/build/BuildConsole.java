import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * Builds the web console; Maven runs it as a single source file: {@code java BuildConsole.java UI OUTPUT WORK}. With
 * {@code --serve} in place of the output folder it runs the development server until it is interrupted. Uses the
 * machine's node when it is new enough; otherwise downloads node and npm as packages from the npm registry, so that a
 * JDK is the only requirement. Does nothing when nothing has changed since the last build, and installs packages only
 * when the lock file has changed.
 */
final class BuildConsole {

    private static final String OLDEST_NODE = "20.19, 22.12";
    private static final int ATTEMPTS = 3;
    private static final String NODE_VERSION = "24.21.0";
    private static final String NPM_VERSION = "11.21.2";
    /** The smallest file in bytes for which a compressed copy is stored. */
    private static final int LEAST_COMPRESSED = 1024;

    private final Path ui;
    private final Path output;
    private final Path work;
    private List<String> node = List.of();
    private List<String> npm = List.of();

    private BuildConsole(Path ui, Path output, Path work) {
        this.ui = ui;
        this.output = output;
        this.work = work;
    }

    public static void main(String[] args) throws Exception {
        BuildConsole console = new BuildConsole(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]));
        if (args[1].equals("--serve")) {
            console.serve();
        } else {
            console.build();
        }
    }

    private void serve() throws Exception {
        Files.createDirectories(work);
        findNode();
        installPackages();
        ProcessBuilder server = program(node, "node_modules/vite/bin/vite.js").inheritIO();
        requireSuccess(server, server.start().waitFor());
    }

    private void build() throws Exception {
        Path stamp = work.resolve("console-ui.sha256");
        String sources = digest(sources());
        if (Files.exists(output.resolve("index.html")) && sources.equals(read(stamp))) {
            System.out.println("Console: unchanged");
            return;
        }
        Files.createDirectories(work);
        findNode();
        installPackages();
        run(node, "node_modules/typescript/bin/tsc", "--noEmit");
        run(node, "node_modules/vite/bin/vite.js", "build", "--outDir", output.toAbsolutePath().toString(), "--emptyOutDir");
        compress();
        Files.writeString(stamp, sources);
    }

    private List<Path> sources() throws IOException {
        // The list of the allowed licences lies with those of the distribution; see third-party.ts.
        try (Stream<Path> all = Stream.concat(Files.walk(ui), Stream.of(ui.resolve("../../distribution/licences/allowed.txt")))) {
            return all.filter(path -> !path.startsWith(ui.resolve("node_modules")))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    private void installPackages() throws Exception {
        Path stamp = ui.resolve("node_modules/.cairn-lock.sha256");
        String lock = digest(List.of(ui.resolve("package-lock.json")));
        if (lock.equals(read(stamp))) {
            return;
        }
        run(npm, "ci", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts");
        Files.writeString(stamp, lock);
    }

    private void findNode() throws Exception {
        String version = ask(List.of("node", "--version"));
        boolean windows = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("windows");
        List<String> ownNpm = windows ? List.of("cmd", "/c", "npm") : List.of("npm");
        List<String> asked = new ArrayList<>(ownNpm);
        asked.add("--version");
        if (isNewEnough(version) && !ask(asked).isEmpty()) {
            node = List.of("node");
            npm = ownNpm;
            return;
        }
        Path home = work.resolve("node-" + NODE_VERSION);
        Path binary = home.resolve(windows ? "node/bin/node.exe" : "node/bin/node");
        Path npmCli = home.resolve("npm/bin/npm-cli.js");
        if (!Files.exists(npmCli)) {
            System.out.println("Console: no node " + OLDEST_NODE + " or newer here; fetching " + NODE_VERSION);
            unpack("node-" + platform(windows), NODE_VERSION, home.resolve("node"));
            unpack("npm", NPM_VERSION, home.resolve("npm"));
        }
        if (!binary.toFile().setExecutable(true)) {
            throw new IOException(binary + " cannot be made executable");
        }
        node = List.of(binary.toAbsolutePath().toString());
        npm = List.of(node.get(0), npmCli.toAbsolutePath().toString());
    }

    /** The releases that Vite runs on. */
    private static boolean isNewEnough(String version) {
        Matcher numbers = Pattern.compile("v(\\d+)\\.(\\d+)\\..*").matcher(version);
        if (!numbers.matches()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        int minor = Integer.parseInt(numbers.group(2));
        return major > 22 || major == 22 && minor >= 12 || major == 20 && minor >= 19;
    }

    private static String platform(boolean windows) {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String system = windows ? "win" : os.contains("mac") ? "darwin" : "linux";
        String arch = System.getProperty("os.arch");
        return system + (arch.equals("aarch64") || arch.equals("arm64") ? "-arm64" : "-x64");
    }

    private void unpack(String name, String version, Path target) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                unpackOnce(name, version, target);
                return;
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                System.out.println("Console: " + name + " " + version + " again, because of " + e);
            }
        }
    }

    private static void unpackOnce(String name, String version, Path target) throws Exception {
        String registry = System.getenv().getOrDefault("npm_config_registry", "https://registry.npmjs.org/");
        URI uri = URI.create((registry.endsWith("/") ? registry : registry + "/")
                + name + "/-/" + name + "-" + version + ".tgz");
        HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .proxy(ProxySelector.getDefault())
                .connectTimeout(Duration.ofSeconds(30))
                .build();
        HttpResponse<InputStream> response =
                client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            throw new IOException(uri + " answered " + response.statusCode()
                    + "; install node " + OLDEST_NODE + " or newer, or leave the console out with -Dconsole.skip");
        }
        try (InputStream tar = new GZIPInputStream(new BufferedInputStream(response.body()))) {
            untar(tar, target);
        }
    }

    /** The part of the tar format that npm packages use: regular files, and the two extensions for long names. */
    private static void untar(InputStream in, Path target) throws IOException {
        byte[] header = new byte[512];
        String longName = null;
        while (in.readNBytes(header, 0, 512) == 512 && header[0] != 0) {
            long size = Long.parseLong(text(header, 124, 12).trim(), 8);
            byte[] body = in.readNBytes((int) size);
            in.skipNBytes((512 - size % 512) % 512);
            String prefix = text(header, 345, 155);
            String name = longName != null ? longName : (prefix.isEmpty() ? "" : prefix + "/") + text(header, 0, 100);
            longName = null;
            switch (header[156]) {
                case 'L' -> longName = text(body, 0, body.length);
                case 'x' -> {
                    for (String line : new String(body, StandardCharsets.UTF_8).split("\n")) {
                        int at = line.indexOf(" path=");
                        longName = at < 0 ? longName : line.substring(at + 6);
                    }
                }
                case '0', 0 -> {
                    Path file = target.resolve(name.substring(name.indexOf('/') + 1)).normalize();
                    if (!file.startsWith(target.normalize())) {
                        throw new IOException("a package names a file outside of itself: " + name);
                    }
                    Files.createDirectories(file.getParent());
                    Files.write(file, body);
                }
                default -> {
                    // A file entry creates its folders; an npm package holds no links.
                }
            }
        }
    }

    private static String text(byte[] bytes, int from, int length) {
        int end = from;
        while (end < from + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.UTF_8);
    }

    private void compress() throws IOException {
        Map<String, Long> sizes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(output)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(path -> path.toString().matches(".*\\.(js|css|svg)"))
                    .toList()) {
                byte[] plain = Files.readAllBytes(file);
                ByteArrayOutputStream packed = new ByteArrayOutputStream();
                try (GZIPOutputStream out = new GZIPOutputStream(packed) {
                    {
                        def.setLevel(Deflater.BEST_COMPRESSION);
                    }
                }) {
                    out.write(plain);
                }
                sizes.put(output.relativize(file).toString(), (long) packed.size());
                if (plain.length >= LEAST_COMPRESSED) {
                    Files.write(file.resolveSibling(file.getFileName() + ".gz"), packed.toByteArray());
                }
            }
        }
        long total = sizes.values().stream().mapToLong(Long::longValue).sum();
        System.out.println("Console: " + sizes.size() + " files, " + total / 1024 + " KB compressed");
    }

    /** Runs a step of the build, and prints its output when it fails. */
    private void run(List<String> program, String... arguments) throws Exception {
        ProcessBuilder step = program(program, arguments).redirectErrorStream(true);
        Process process = step.start();
        process.getOutputStream().close();
        byte[] printed = process.getInputStream().readAllBytes();
        int status = process.waitFor();
        if (status != 0) {
            System.err.write(printed);
        }
        requireSuccess(step, status);
    }

    private ProcessBuilder program(List<String> program, String... arguments) {
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(ui.toFile());
        if (node.get(0).contains(File.separator)) {
            // Child processes of npm and vite must find the downloaded node as well.
            builder.environment()
                    .merge("PATH", Path.of(node.get(0)).getParent().toString(), (old, dir) -> dir + File.pathSeparator + old);
        }
        return builder;
    }

    private static void requireSuccess(ProcessBuilder program, int status) {
        if (status != 0) {
            throw new IllegalStateException(String.join(" ", program.command()) + " ended with " + status);
        }
    }

    private static String ask(List<String> command) throws InterruptedException {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(false).start();
            String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            return process.waitFor(30, TimeUnit.SECONDS) && process.exitValue() == 0 ? answer : "";
        } catch (IOException e) {
            return ""; // not installed
        }
    }

    private static String read(Path file) throws IOException {
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private String digest(List<Path> files) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files.stream().sorted(Comparator.naturalOrder()).toList()) {
                digest.update(ui.relativize(file).toString().getBytes(StandardCharsets.UTF_8));
                digest.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
