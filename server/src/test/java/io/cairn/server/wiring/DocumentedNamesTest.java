package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests, and classes with their package, that the pages for developers name exist under that name. */
class DocumentedNamesTest {

    private static final Path ROOT = Path.of("..");
    private static final Set<String> NO_SOURCES = Set.of("target", "node_modules", ".git");

    /** A test, or a class after a part of its package: {@code `ParameterTest`}, {@code `push/WatchedKey`}, {@code `push.PushQueue#add`}. */
    private static final Pattern NAME =
            Pattern.compile("`(?:((?:[a-z]\\w*[./])+)([A-Z]\\w+)|([A-Z]\\w*[a-z]\\w*(?:Test|IT)))(?=[`#(.])");

    /** File endings after which a name is that of a file and not of a class. */
    private static final Pattern FILE = Pattern.compile("`[^`]*\\.(yaml|yml|md|sql|sh)`");

    /** Stand for any name, in the rules of style. */
    private static final Set<String> EXAMPLES = Set.of("XxxTest", "XxxIT", "Dockerfile");

    /** The packages of the classes of that name, each with a full stop before and after it. */
    private static final Map<String, Set<String>> PACKAGES = new HashMap<>();

    @BeforeAll
    static void readSources() throws IOException {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                Path name = folder.getFileName();
                return name != null && NO_SOURCES.contains(name.toString())
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                if (name.endsWith(".java")) {
                    PACKAGES.computeIfAbsent(
                                    name.substring(0, name.length() - ".java".length()), key -> new HashSet<>())
                            .add("."
                                    + ROOT.relativize(file.resolveSibling(""))
                                            .toString()
                                            .replace('/', '.') + ".");
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    @Test
    void namedTestsAndClassesExist() throws IOException {
        List<String> missing = new ArrayList<>();
        int names = 0;
        for (Path page : pages()) {
            String text = Files.readString(page);
            Matcher found = NAME.matcher(text);
            while (found.find()) {
                String name = found.group(3) != null ? found.group(3) : found.group(2);
                if (EXAMPLES.contains(name)
                        || FILE.matcher(text)
                                .region(found.start(), text.length())
                                .lookingAt()) {
                    continue;
                }
                names++;
                String part =
                        found.group(1) == null ? "." : "." + found.group(1).replace('/', '.');
                if (PACKAGES.getOrDefault(name, Set.of()).stream().noneMatch(in -> in.contains(part))) {
                    missing.add(ROOT.relativize(page) + ": " + found.group() + "`");
                }
            }
        }

        assertThat(names).isGreaterThan(200);
        assertThat(missing).as("names that no source file has").isEmpty();
    }

    @Test
    void theIndexHasEachDecisionWithItsTitle() throws IOException {
        String index = Files.readString(ROOT.resolve("docs/adr/README.md"));
        List<String> missing = new ArrayList<>();
        for (Path page : pages()) {
            String name = page.getFileName().toString();
            if (page.getParent().endsWith("adr") && !name.equals("README.md")) {
                String title = Files.readAllLines(page).get(0).replaceFirst("^# \\d+\\. ", "");
                String entry = "[" + title + "](" + name + ")";
                if (!index.contains(entry)) {
                    missing.add(entry);
                }
            }
        }

        assertThat(missing).as("decisions that docs/adr/README.md lacks").isEmpty();
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        for (String folder : List.of("docs", "docs/adr", "docs/internals")) {
            try (Stream<Path> files = Files.list(ROOT.resolve(folder))) {
                files.filter(file -> file.toString().endsWith(".md")).forEach(pages::add);
            }
        }
        return pages;
    }
}
