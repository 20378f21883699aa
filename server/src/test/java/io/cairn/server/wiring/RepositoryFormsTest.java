package io.cairn.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The files that the code host of the repository reads: forms of issues, the workflow, updates of dependencies. */
class RepositoryFormsTest {

    private static final Path FOLDER = Path.of("..", ".github");

    private static Map<?, ?> yaml(Path file) throws IOException {
        return new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(file));
    }

    @Test
    void everyFileIsYaml() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(FOLDER)) {
            files = all.filter(file -> file.toString().endsWith(".yml")).toList();
        }
        assertThat(files).hasSizeGreaterThanOrEqualTo(5);
        for (Path file : files) {
            assertThat(yaml(file)).as(file.toString()).isNotEmpty();
        }
    }

    @Test
    void aReportNamesVersionClientStoreAndWhatTheDoctorSays() throws IOException {
        Map<String, Boolean> required = new HashMap<>();
        for (Object each :
                (List<?>) yaml(FOLDER.resolve("ISSUE_TEMPLATE/bug.yml")).get("body")) {
            Map<?, ?> field = (Map<?, ?>) each;
            if (field.get("id") instanceof String id) {
                required.put(
                        id,
                        field.get("validations") instanceof Map<?, ?> validations
                                && Boolean.TRUE.equals(validations.get("required")));
            }
        }

        assertThat(required)
                .containsEntry("version", true)
                .containsEntry("client", true)
                .containsEntry("store", true)
                .containsEntry("doctor", true);
    }

    @Test
    void theWorkflowRunsWhatIsCheckedBeforeAChangeLands() throws IOException {
        Map<?, ?> jobs =
                (Map<?, ?>) yaml(FOLDER.resolve("workflows/verify.yml")).get("jobs");
        List<Object> commands = new ArrayList<>();
        for (Object job : jobs.values()) {
            for (Object step : (List<?>) ((Map<?, ?>) job).get("steps")) {
                commands.add(((Map<?, ?>) step).get("run"));
            }
        }

        assertThat(commands).contains("bash .ci/run");
    }
}
