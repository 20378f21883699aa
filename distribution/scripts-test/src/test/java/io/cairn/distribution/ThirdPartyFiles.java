package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * LICENSE, NOTICE, the list of third-party components and the texts of their licences, in the folder of an installation or
 * in {@code META-INF} of a jar.
 */
final class ThirdPartyFiles {
    private static final Pattern ROW = Pattern.compile(
            "\\| (?:\\[(?<linked>[^\\]]+)]\\([^)]+\\)|(?<plain>[^|]+)) \\| (?<version>[^|]+) \\| (?<licence>[^|]+) \\| (?<text>[^|]+) \\|");
    private static final String HEAD = "|---|---|---|---|";

    private final Path folder;
    private final List<Component> components;

    /**
     * A row of the list.
     *
     * @param name {@code group:artifact}, for packages of the console {@code npm:name}
     * @param text the file or folder with the text of the licence, relative to the folder of the list
     */
    record Component(String name, String version, String licence, String text) {
        static Component read(String line) {
            Matcher row = ROW.matcher(line);
            assertThat(row.matches()).as(line).isTrue();
            String linked = row.group("linked");
            return new Component(
                    linked == null ? row.group("plain") : linked,
                    row.group("version"),
                    row.group("licence"),
                    row.group("text"));
        }

        String artifact() {
            return name.substring(name.indexOf(':') + 1);
        }
    }

    private ThirdPartyFiles(Path folder, List<Component> components) {
        this.folder = folder;
        this.components = components;
    }

    static ThirdPartyFiles in(Path folder) throws IOException {
        List<String> lines = Files.readAllLines(folder.resolve("THIRD-PARTY.md"));
        List<String> rows = lines.subList(lines.indexOf(HEAD) + 1, lines.size());
        return new ThirdPartyFiles(folder, rows.stream().map(Component::read).toList());
    }

    List<Component> components() {
        return components;
    }

    /** The component of a jar, whose file is named for artifact, version and perhaps platform. */
    Optional<Component> ofJar(String file) {
        return components.stream()
                .filter(component -> file.startsWith(component.artifact() + '-' + component.version()))
                .findAny();
    }

    /** The names of the files that came with a component, sorted; empty when it has none. */
    List<String> filesOf(String artifact) throws IOException {
        Path own = folder.resolve("licenses").resolve(artifact);
        return Files.isDirectory(own) ? names(own) : List.of();
    }

    void assertEachComponentHasAText() throws IOException {
        assertThat(folder.resolve("LICENSE")).content().contains("Apache License", "Version 2.0, January 2004");
        assertThat(folder.resolve("NOTICE")).content().startsWith("Cairn\n").contains("THIRD-PARTY.md", "licenses/");
        assertThat(components).isNotEmpty().doesNotHaveDuplicates();
        for (Component component : components) {
            Path text = folder.resolve(component.text());
            if (component.licence().contains("Apache-2.0")) {
                assertThat(text).as("text of %s", component).isNotEmptyFile();
                continue;
            }
            // A licence that names its authors: no text of another component will do.
            assertThat(component.text()).as("text of %s", component).startsWith("licenses/");
            if (Files.isDirectory(text)) {
                assertThat(names(text))
                        .as("texts of %s", component)
                        .isNotEmpty()
                        .allSatisfy(name -> assertThat(text.resolve(name)).isNotEmptyFile());
            } else {
                assertThat(text)
                        .content()
                        .contains('\n' + component.artifact() + ' ' + component.version() + " (" + component.licence()
                                + ")\n");
            }
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
