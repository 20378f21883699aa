package io.cairn.distribution;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The chart, its rendered forms that are committed beside the tests, and the tool that renders it where it is at hand. */
final class HelmChart {

    static final Path CHART = Path.of("..", "deploy", "helm", "cairn");

    /** One set of values each. */
    static final List<String> FORMS = List.of("sqlite", "mysql", "postgresql", "all", "open");

    static final String WRITE =
            "./mvnw -pl distribution/scripts-test -am verify -Dit.test=HelmRenderingIT -Dcairn.helm.write=true,"
                    + " with helm on the PATH or its path in CAIRN_HELM";

    private static final Path RENDERED = Path.of("src", "test", "resources", "helm");
    private static final Path DIGEST = RENDERED.resolve("chart.sha256");
    /** Of Kubernetes, for which the chart is rendered; a cluster that is asked would say its own. */
    private static final String KUBERNETES = "1.30.0";

    /** The output of a run of helm, and its status. */
    record Answer(int status, String output, String errors) {}

    private HelmChart() {}

    static Path values(String form) {
        return RENDERED.resolve(form + ".values.yaml");
    }

    static Path rendered(String form) {
        return RENDERED.resolve(form + ".yaml");
    }

    static String writtenDigest() throws IOException {
        return Files.readString(DIGEST).strip();
    }

    static void writeDigest() throws IOException {
        Files.writeString(DIGEST, digest() + '\n');
    }

    /** Of all that is rendered and all that came of it. The version is not among it. */
    static String digest() throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            List<Path> files = new ArrayList<>(ServerFacts.files(CHART, ""));
            files.addAll(ServerFacts.files(RENDERED, ".yaml"));
            for (Path file : files) {
                if (!file.endsWith("Chart.yaml")) {
                    digest.update(file.toString().replace('\\', '/').getBytes(UTF_8));
                    digest.update(Files.readString(file).replace("\r\n", "\n").getBytes(UTF_8));
                }
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The program helm; empty where there is none. */
    static Optional<Path> helm() {
        String named = System.getenv("CAIRN_HELM");
        if (named != null) {
            return Optional.of(Path.of(named));
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "helm"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Answer template(String form) throws IOException, InterruptedException {
        return run(
                "template",
                "cairn",
                CHART.toString(),
                "-n",
                "registry",
                "-f",
                values(form).toString());
    }

    /** With the values as installed but for some: {@code name=value}. */
    static Answer templateWith(String values, String... more) throws IOException, InterruptedException {
        List<String> arguments =
                new ArrayList<>(List.of("template", "cairn", CHART.toString(), "-n", "registry", "--set", values));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(String[]::new));
    }

    static Answer lint(String form) throws IOException, InterruptedException {
        return run("lint", "--strict", CHART.toString(), "-f", values(form).toString());
    }

    private static Answer run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(helm().orElseThrow().toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--kube-version", KUBERNETES));
        Path errors = Files.createTempFile("helm", ".err");
        try {
            Process process =
                    new ProcessBuilder(command).redirectError(errors.toFile()).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            return new Answer(process.waitFor(), output, Files.readString(errors));
        } finally {
            Files.delete(errors);
        }
    }
}
