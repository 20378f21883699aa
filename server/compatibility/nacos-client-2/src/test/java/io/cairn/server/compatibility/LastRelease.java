package io.cairn.server.compatibility;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The last release that has a cluster: the one that a property names, or one built from its tag. */
final class LastRelease {
    /** Names the folder of an unpacked release. */
    private static final String GIVEN = "cairn.upgrade.from";

    private static final String PART_OF_A_CLUSTER = "server/cluster/pom.xml";
    private static final Path DISTRIBUTION = Path.of("distribution", "target", "cairn");
    private static final long GIT_SECONDS = 60;
    private static final long BUILD_MINUTES = 30;

    private LastRelease() {}

    /** Empty when no tag of a release has a cluster. A release is built once. */
    static Optional<Path> distribution() throws IOException, InterruptedException {
        String given = System.getProperty(GIVEN, "");
        if (!given.isEmpty()) {
            return Optional.of(Path.of(given));
        }
        Path repository =
                Path.of(git(Path.of(""), "rev-parse", "--show-toplevel").strip());
        List<String> tags = git(repository, "tag", "--list", "v*", "--sort=-version:refname")
                .lines()
                .toList();
        for (String tag : tags) {
            if (!git(repository, "ls-tree", "--name-only", tag, PART_OF_A_CLUSTER)
                    .isBlank()) {
                return Optional.of(built(repository, tag));
            }
        }
        return Optional.empty();
    }

    private static Path built(Path repository, String tag) throws IOException, InterruptedException {
        Path sources = Path.of("target", "releases", tag).toAbsolutePath();
        Path distribution = sources.resolve(DISTRIBUTION);
        if (!Files.isDirectory(distribution)) {
            Files.createDirectories(sources.getParent());
            if (!Files.isDirectory(sources)) {
                git(
                        repository,
                        "clone",
                        "--quiet",
                        "--shared",
                        "--branch",
                        tag,
                        repository.toString(),
                        sources.toString());
            }
            Process build = new ProcessBuilder(
                            "./mvnw", "-q", "-B", "-DskipTests", "-pl", "distribution", "-am", "package")
                    .directory(sources.toFile())
                    .inheritIO()
                    .start();
            requireSuccess(build, TimeUnit.MINUTES.toSeconds(BUILD_MINUTES), "the build of " + tag + " in " + sources);
        }
        return distribution;
    }

    private static String git(Path folder, String... arguments) throws IOException, InterruptedException {
        String[] command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process process = new ProcessBuilder(command)
                .directory(folder.toAbsolutePath().toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        requireSuccess(process, GIT_SECONDS, String.join(" ", command));
        return output;
    }

    private static void requireSuccess(Process process, long seconds, String what)
            throws IOException, InterruptedException {
        if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(what + " did not end within " + seconds + " s");
        }
        if (process.exitValue() != 0) {
            throw new IOException(what + " ended with status " + process.exitValue());
        }
    }
}
