package io.cairn.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard and the alerts that come with an installation ask for meters that a server really has. */
class MonitoringFilesIT {

    private static final Path DEPLOY = Path.of("..", "distribution", "deploy");
    private static final String DASHBOARD = "grafana/cairn.json";
    private static final Pattern METER = Pattern.compile("\\b(?:cairn|jvm|process)_[a-z_]+");
    private static final Pattern SUFFIX = Pattern.compile("_(seconds_(count|sum|max|bucket)|total)$");

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @ParameterizedTest
    @ValueSource(strings = {DASHBOARD, "prometheus/alerts.yaml"})
    void everyRequestedMeterExists(String file) throws Exception {
        cairn.post("/v1/cs/configs", Map.of("dataId", "a", "group", "g", "content", "1"));
        Set<String> live = meters(cairn.get("/actuator/prometheus").body());
        Set<String> named = names();
        Set<String> asked = meters(Files.readString(DEPLOY.resolve(file)));

        assertThat(asked).hasSizeGreaterThan(5);
        for (String meter : asked) {
            String base = SUFFIX.matcher(meter).replaceFirst("");
            if (live.stream()
                    .anyMatch(one -> SUFFIX.matcher(one).replaceFirst("").equals(base))) {
                assertThat(live).contains(meter);
            } else {
                // One that comes with its first use.
                assertThat(named).contains(base);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {DASHBOARD, "prometheus/alerts.yaml"})
    void lossesRefusalsAndPercentilesAreWatched(String file) throws Exception {
        assertThat(meters(Files.readString(DEPLOY.resolve(file))))
                .contains(
                        "cairn_naming_instances_lost_total",
                        "cairn_naming_instances_unhealthy_total",
                        "cairn_naming_beats_refused",
                        "cairn_store_unwritable",
                        "cairn_logins_failed_total",
                        "cairn_config_gray_oldest_seconds",
                        "cairn_grpc_requests_seconds_bucket",
                        "cairn_push_latency_seconds_bucket");
    }

    @ParameterizedTest
    @ValueSource(strings = {DASHBOARD, "prometheus/alerts.yaml"})
    void theServerHasTheBucketsThatQueriesUse(String file) throws Exception {
        cairn.post("/v1/cs/configs", Map.of("dataId", "a", "group", "g", "content", "1"));
        Set<String> live = meters(cairn.get("/actuator/prometheus").body());

        assertThat(live)
                .containsAll(meters(Files.readString(DEPLOY.resolve(file))).stream()
                        .filter(meter -> meter.endsWith("_bucket"))
                        .toList());
    }

    @Test
    void everyPanelHasATitleAUnitAndAPlaceOfItsOwn() throws Exception {
        JsonNode dashboard = JsonMapper.shared().readTree(Files.readString(DEPLOY.resolve(DASHBOARD)));
        List<String> places = new ArrayList<>();
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(panel.get("title").asString()).isNotBlank();
            places.add(
                    panel.get("gridPos").get("x") + "," + panel.get("gridPos").get("y"));
            if (!panel.get("type").asString().equals("row")) {
                assertThat(panel.at("/fieldConfig/defaults/unit").asString()).isNotBlank();
                assertThat(panel.get("targets")).isNotEmpty();
            }
        }
        assertThat(places).doesNotHaveDuplicates().hasSizeGreaterThan(20);
    }

    private static Set<String> meters(String text) {
        return METER.matcher(text).results().map(MatchResult::group).collect(Collectors.toSet());
    }

    /** As Prometheus spells them, without suffixes. */
    private static Set<String> names() throws IllegalAccessException {
        Set<String> names = new TreeSet<>();
        for (Field field : MeterNames.class.getFields()) {
            names.add(((String) field.get(null)).replace('.', '_'));
        }
        return names;
    }
}
