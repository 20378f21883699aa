package io.cairn.server;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The Java sources of all modules, for tests that read them. */
final class JavaSources {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Set<String> SKIPPED = Set.of("target", "node_modules", ".git");

    private JavaSources() {}

    /** The text of each source by its path below the project, with slashes. */
    static Map<String, String> all() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return SKIPPED.contains(String.valueOf(folder.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                String name = ROOT.relativize(file).toString().replace('\\', '/');
                if (name.endsWith(".java")) {
                    sources.put(name, Files.readString(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return sources;
    }
}
