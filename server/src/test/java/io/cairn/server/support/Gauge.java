package io.cairn.server.support;

import java.time.Duration;
import org.awaitility.Awaitility;
import tools.jackson.databind.json.JsonMapper;

/** A meter as an operator reads it, from the metrics endpoint. */
public final class Gauge {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final CairnExtension cairn;
    private final String name;

    public Gauge(CairnExtension cairn, String name) {
        this.cairn = cairn;
        this.name = name;
    }

    /** Its value; of a timer, how often it has measured. */
    public int value() {
        return JSON.readTree(cairn.get("/actuator/metrics/" + name).body())
                .path("measurements")
                .path(0)
                .path("value")
                .asInt();
    }

    public void awaitValue(int expected) {
        Awaitility.await(name + " = " + expected)
                .pollInterval(Duration.ofMillis(20))
                .until(this::value, value -> value == expected);
    }
}
