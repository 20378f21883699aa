package io.cairn.distribution;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Facts of the server and its image, read from the files that define them: what a deployment file says must agree with them. */
final class ServerFacts {

    private static final Path DISTRIBUTION = Path.of("..");
    private static final Path ROOT = DISTRIBUTION.resolve("..");

    private final String settings = Files.readString(DISTRIBUTION.resolve("conf/application.properties"));
    private final String dockerfile = Files.readString(DISTRIBUTION.resolve("deploy/docker/Dockerfile"));

    ServerFacts() throws IOException {}

    int httpPort() {
        return number(settings, "#server\\.port=(\\d+)");
    }

    /** The number that is added to the port of HTTP for gRPC. */
    int grpcOffset() {
        return number(settings, "gRPC listens on this port \\+ (\\d+)");
    }

    /** The number that is added to the port of HTTP for the other nodes. */
    int groupOffset() {
        return number(settings, "the HTTP port \\+ (\\d+)");
    }

    /** The names of all settings. */
    Set<String> settings() {
        return found(settings, "(?m)^#([A-Za-z][A-Za-z0-9.-]+)=");
    }

    /** The name of a setting, also one of its other names. */
    boolean isSetting(String name) {
        return settings().contains(name)
                || Pattern.compile("(?m)^#.*[ (]" + Pattern.quote(name) + "(?![A-Za-z0-9.-])")
                        .matcher(settings)
                        .find();
    }

    /** Environment variables that the scripts of the image or the server read. */
    Set<String> variables() throws IOException {
        Set<String> known = new TreeSet<>();
        for (Path script : files(DISTRIBUTION.resolve("bin"), ".sh")) {
            known.addAll(found(Files.readString(script), "\\$\\{?([A-Z][A-Z0-9_]{2,})"));
        }
        for (String folder : List.of("server/src/main/java/io/cairn/server/wiring", "server/storage/src/main/java")) {
            for (Path source : files(ROOT.resolve(folder), ".java")) {
                known.addAll(found(Files.readString(source), "\"([A-Z][A-Z0-9_]{2,})\""));
            }
        }
        // The server reads each of its settings under the name that environment variables have.
        Stream.concat(settings().stream(), Stream.of("spring.datasource.platform"))
                .map(name -> name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT))
                .forEach(known::add);
        return known;
    }

    /** The user of the image. */
    int user() {
        return number(dockerfile, "(?m)^USER (\\d+):\\d+$");
    }

    /** The folders of the image that must be writable. */
    Set<String> volumes() {
        return found(first(dockerfile, "(?m)^VOLUME \\[(.*)]$"), "\"([^\"]+)\"");
    }

    /** Whether the API has a path, without the context path. */
    boolean hasEndpoint(String path) throws IOException {
        return Files.readString(ROOT.resolve("docs/reference/openapi.json")).contains('"' + path + '"')
                || settings.contains("#management.endpoints.web.exposure.include=health,info,metrics,prometheus")
                        && path.equals(
                                first(settings, "#management\\.endpoints\\.web\\.base-path=(\\S+)") + "/prometheus");
    }

    String version() throws IOException {
        return first(Files.readString(DISTRIBUTION.resolve("pom.xml")), "<version>([^<]+)</version>");
    }

    static List<Path> files(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix) && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        }
    }

    static Set<String> found(String text, String pattern) {
        List<String> groups = new ArrayList<>();
        Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map((MatchResult result) -> result.group(1))
                .forEach(groups::add);
        return new TreeSet<>(groups);
    }

    private static String first(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException("nothing matches " + pattern);
        }
        return matcher.group(1);
    }

    private static int number(String text, String pattern) {
        return Integer.parseInt(first(text, pattern));
    }
}
