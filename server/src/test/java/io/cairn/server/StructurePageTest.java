package io.cairn.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of modules, layers and packages in {@code docs/internals/README.md} are those of the build and of the rules. */
class StructurePageTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/internals/README.md");
    private static final Path PACKAGES = Path.of("src/main/java/io/cairn/server");
    private static final Pattern MODULE = Pattern.compile("<module>(server(?:/\\w+)?)</module>");
    private static final Pattern CODE = Pattern.compile("`([a-z]\\w*)[\\w.]*`");

    @Test
    void eachModuleOfTheServerHasItsPackages() throws IOException {
        Map<String, Set<String>> built = new TreeMap<>();
        Matcher module = MODULE.matcher(Files.readString(ROOT.resolve("pom.xml")));
        while (module.find()) {
            Path folder = ROOT.resolve(module.group(1)).resolve(PACKAGES);
            if (Files.isDirectory(folder)) {
                built.put(module.group(1), folders(folder));
            }
        }
        // Tools for tests and measurements, which the page names elsewhere.
        built.keySet().removeAll(Set.of("server/nodes", "server/measure", "server/process"));

        Map<String, Set<String>> documented = new TreeMap<>();
        rows("## Modules of the server").forEach(row -> {
            // The first sentence: what follows names what the packages know.
            Set<String> packages = names(row[1].split(":|and \\[")[0]);
            documented.put(row[0].replace("`", ""), packages);
        });

        assertThat(documented).isEqualTo(built).hasSizeGreaterThan(7);
    }

    @Test
    void theLayersAreThoseThatTheRulesEnforce() throws IOException {
        Map<String, Set<String>> documented = new TreeMap<>();
        rows("## Packages of the server").forEach(row -> documented
                .computeIfAbsent(row[0], layer -> new TreeSet<>())
                .addAll(names(row[1])));

        Map<String, Set<String>> enforced = new TreeMap<>();
        for (int layer = 0; layer < ArchitectureTest.LAYERS.size(); layer++) {
            enforced.put(
                    Integer.toString(layer),
                    ArchitectureTest.LAYERS.get(layer).stream()
                            .map(name -> name.substring("io.cairn.server.".length(), name.length() - 2))
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
        assertThat(documented).isEqualTo(enforced);
    }

    @Test
    void thePackagesOfTheStorageAreAllThere() throws IOException {
        Set<String> documented = new TreeSet<>();
        rows("### Packages of the storage").forEach(row -> documented.addAll(names(row[0])));

        Set<String> built =
                folders(ROOT.resolve("server/storage").resolve(PACKAGES).resolve("storage"));
        built.add("storage");
        assertThat(documented).isEqualTo(built);
    }

    /** The cells of the first table after a heading, without its head. */
    private static Stream<String[]> rows(String heading) throws IOException {
        String text = Files.readString(PAGE);
        int start = text.indexOf("\n| ", text.indexOf(heading + "\n"));
        String table = text.substring(start + 1, text.indexOf("\n\n", start));
        return table.lines().skip(2).map(row -> row.substring(2).split(" \\| "));
    }

    private static Set<String> names(String cell) {
        return CODE.matcher(cell).results().map(name -> name.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> folders(Path of) throws IOException {
        try (Stream<Path> all = Files.list(of)) {
            return all.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
