package io.cairn.server.naming.switches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SwitchesTest {

    private final Switches switches = new Switches();

    /** The name of an entry in a request, a value, and the path and value in the response. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            distroThreshold | 0.5 | /distroThreshold | 0.5
            clientBeatInterval | 7000 | /clientBeatInterval | 7000
            pushCacheMillis | 20000 | /defaultPushCacheMillis | 20000
            defaultCacheMillis | 1000 | /defaultCacheMillis | 1000
            masters | a:1, b:2 | /masters | ["a:1","b:2"]
            distro | false | /distroEnabled | false
            check | false | /healthCheckEnabled | false
            distroEnabled | false | /distroEnabled | false
            healthCheckEnabled | false | /healthCheckEnabled | false
            pushEnabled | false | /pushEnabled | false
            serviceStatusSynchronizationPeriodMillis | 6000 | /serviceStatusSynchronizationPeriodMillis | 6000
            serverStatusSynchronizationPeriodMillis | 15000 | /serverStatusSynchronizationPeriodMillis | 15000
            healthCheckTimes | 5 | /checkTimes | 5
            disableAddIP | true | /disableAddIP | true
            sendBeatOnly | TRUE | /sendBeatOnly | true
            limitedUrlMap | /nacos/v1/x:503 | /limitedUrlMap | {"/nacos/v1/x":503}
            enableStandalone | false | /enableStandalone | false
            overriddenServerStatus | down | /overriddenServerStatus | "DOWN"
            defaultInstanceEphemeral | false | /defaultInstanceEphemeral | false
            distroServerExpiredMillis | 12000 | /distroServerExpiredMillis | 12000
            lightBeatEnabled | false | /lightBeatEnabled | false
            autoChangeHealthCheckEnabled | false | /autoChangeHealthCheckEnabled | false
            pushVersion | java:1.2.3 | /pushJavaVersion | "1.2.3"
            pushVersion | csharp:1.2.3 | /pushCSharpVersion | "1.2.3"
            httpHealthParams | {"max":4000,"min":400,"factor":0.5} | /httpHealthParams | {"max":4000,"min":400,"factor":0.5}
            tcpHealthParams | {"max":4000,"min":400,"factor":0.5} | /tcpHealthParams | {"max":4000,"min":400,"factor":0.5}
            mysqlHealthParams | {"max":4000,"min":400,"factor":0.5} | /mysqlHealthParams | {"max":4000,"min":400,"factor":0.5}
            """)
    void acceptsStoresAndShowsEveryEntry(String entry, String value, String where, String shown) {
        JsonNode before = shown();

        Map<String, String> stored = switches.check(entry, value);
        assertThat(shown()).as("a check changes nothing").isEqualTo(before);
        stored.forEach(switches::restore);

        assertThat(stored).hasSize(1);
        assertThat(shown().at(where)).isEqualTo(JsonMapper.builder().build().readTree(shown));
        assertThat(shown().at(where)).isNotEqualTo(before.at(where));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            distroThreshold | 0 | distroThreshold can not be zero or negative: 0
            distroThreshold | x | For input string: "x"
            clientBeatInterval | 0 | clientBeatInterval is too small(<1)
            clientBeatInterval | soon | For input string: "soon"
            pushCacheMillis | 9999 | min cache time for http or tcp is too small(<10000)
            defaultCacheMillis | 999 | min default cache time  is too small(<1000)
            serviceStatusSynchronizationPeriodMillis | 4999 | serviceStatusSynchronizationPeriodMillis is too small(<5000)
            serverStatusSynchronizationPeriodMillis | 14999 | serverStatusSynchronizationPeriodMillis is too small(<15000)
            healthCheckTimes | 0 | healthCheckTimes is too small(<1)
            healthCheckTimes | 101 | healthCheckTimes is too large(>100)
            pushEnabled | maybe | pushEnabled: 'maybe' (expected: true or false)
            pushVersion | java | illegal version
            pushVersion | cobol:1.0.0 | unsupported client type: cobol
            overriddenServerStatus | fine | overriddenServerStatus: 'fine'
            limitedUrlMap | nonsense | limitedUrlMap: 'nonsense'
            limitedUrlMap | /a:200 | illegal return code: /a:200
            httpHealthParams | {"max":1,"min":2,"factor":0.5} | expected: a JSON object with max and min
            tcpHealthParams | {"max":5,"min":2,"factor":1.5} | expected: a JSON object with max and min
            mysqlHealthParams | 5 | expected: a JSON object with max and min
            """)
    void refusesInvalidValuesWithAReason(String entry, String value, String why) {
        assertThatThrownBy(() -> switches.check(entry, value)).isInstanceOfSatisfying(CairnException.class, refused -> {
            assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
            assertThat(refused.text()).contains(why);
        });
    }

    @Test
    void ignoresUnknownEntry() {
        assertThat(switches.check("zzz", "1")).isEmpty();
    }

    @Test
    void ignoresStoredEntriesAndValuesOfALaterVersion() {
        JsonNode before = shown();

        switches.restore("zzz", "1");
        switches.restore("clientBeatInterval", "a while");

        assertThat(shown()).isEqualTo(before);
    }

    /** A value under one name replaces that under the other, also once they are read from the store in any order. */
    @ParameterizedTest
    @CsvSource({
        "check, healthCheckEnabled, true",
        "distro, distroEnabled, true",
        "healthCheckTimes, checkTimes, 5",
        "pushCacheMillis, defaultPushCacheMillis, 20000"
    })
    void storesTheNamesOfASwitchAsOne(String entry, String asShown, String value) {
        assertThat(switches.check(asShown, value)).isEqualTo(switches.check(entry, value));
    }

    @Test
    void storesVersionsOfLanguagesSeparately() {
        assertThat(switches.check("pushVersion", "go:1.0.0").keySet())
                .isNotEqualTo(switches.check("pushVersion", "java:1.0.0").keySet());
    }

    @Test
    void emptyValueEndsTheOverrideOfTheStatus() {
        switches.restore("overriddenServerStatus", "DOWN");
        assertThat(switches.overriddenStatus()).isEqualTo(Switches.ServerStatus.DOWN);

        switches.restore("overriddenServerStatus", "");
        assertThat(switches.overriddenStatus()).isNull();
    }

    @Test
    void notifiesWaitingPusherWhenPushingIsEnabledAgain() {
        AtomicInteger resumed = new AtomicInteger();
        switches.whenPushResumes(resumed::incrementAndGet);

        switches.restore("pushEnabled", "true");
        assertThat(resumed).as("pushing was enabled already").hasValue(0);
        switches.restore("pushEnabled", "false");
        assertThat(resumed).hasValue(0);
        switches.restore("pushEnabled", "true");
        assertThat(resumed).hasValue(1);
    }

    @Test
    void healthChecksFollowTheSwitches() {
        switches.restore("check", "false");
        switches.restore("healthCheckTimes", "7");
        switches.restore("tcpHealthParams", "{\"max\":4000,\"min\":400,\"factor\":0.5}");

        assertThat(switches.healthChecks().enabled()).isFalse();
        assertThat(switches.healthChecks().checkTimes()).isEqualTo(7);
        assertThat(switches.healthChecks().tcp().min()).isEqualTo(Duration.ofMillis(400));
        assertThat(switches.healthChecks().http().min()).isEqualTo(Duration.ofMillis(500));
    }

    private JsonNode shown() {
        return JsonMapper.builder().build().readTree(switches.toJson());
    }
}
