package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The guide says what is so. */
class GuideTest {

    private static final Path ROOT = Path.of("..");
    private static final Path GUIDE = ROOT.resolve("docs").resolve("guide");
    private static final Pattern MESSAGE = Pattern.compile("\\| `([^`]+)` \\|.*");
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(#[^)]*)?\\)");

    @Test
    void theSourcesContainEveryMessageOfTheTroubleshootingPage() throws IOException {
        String code = said();
        List<String> unsaid = new ArrayList<>();
        int messages = 0;
        for (String line : Files.readAllLines(GUIDE.resolve("troubleshooting.md"))) {
            Matcher message = MESSAGE.matcher(line);
            if (message.matches()) {
                messages++;
                Stream.of(message.group(1).split("…"))
                        .map(String::strip)
                        .filter(part -> !code.contains(part))
                        .forEach(unsaid::add);
            }
        }

        assertThat(messages).isGreaterThan(25);
        assertThat(unsaid).isEmpty();
    }

    /** All sources, with texts that go over several lines in one piece. */
    private static String said() throws IOException {
        StringBuilder code = new StringBuilder();
        List<Path> folders = new ArrayList<>(ServerSources.folders());
        folders.add(ROOT.resolve("distribution/bin"));
        folders.add(ROOT.resolve("distribution/cli/src/main/java"));
        for (Path folder : folders) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    code.append(Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", ""));
                }
            }
        }
        return code.toString();
    }

    @Test
    void everyPageIsInTheIndexAndEveryLinkLeadsSomewhere() throws IOException {
        String index = Files.readString(GUIDE.resolve("README.md"));
        List<Path> pages;
        try (Stream<Path> files = Files.list(GUIDE)) {
            pages = files.filter(file -> file.toString().endsWith(".md")).toList();
        }
        assertThat(pages).hasSizeGreaterThan(15);
        for (Path page : pages) {
            String name = page.getFileName().toString();
            if (!name.equals("README.md")) {
                assertThat(index).contains("](" + name + ")");
            }
            Matcher link = LINK.matcher(Files.readString(page));
            while (link.find()) {
                assertThat(GUIDE.resolve(link.group(1)))
                        .as("a link of %s", name)
                        .exists();
            }
        }
    }
}
