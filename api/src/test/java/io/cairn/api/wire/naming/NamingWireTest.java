package io.cairn.api.wire.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NamingWireTest {

    private static final Instance INSTANCE = Instance.of("10.0.0.1", 80);

    @Test
    void aServiceIsItsGroupAndItsName() {
        assertThat(NamingWire.groupedName(new ServiceKey(Namespace.ofNullable("dev"), "g", "s")))
                .isEqualTo("g@@s");
    }

    @Test
    void theDefaultIdConsistsOfTheInstancesParts() {
        assertThat(NamingWire.instanceId(INSTANCE, "g@@s")).isEqualTo("10.0.0.1#80#DEFAULT#g@@s");
        assertThat(NamingWire.instanceId(INSTANCE.withId("its own"), "g@@s")).isEqualTo("its own");
    }

    @Test
    void aNumberedIdIsTheSameForTheSameInstanceAndAnotherForAnother() {
        Instance numbered = INSTANCE.withMetadata(Map.of(Instance.ID_GENERATOR, "snowflake"));
        String id = NamingWire.instanceId(numbered, "g@@s");

        assertThat(id).matches("[0-9]+#DEFAULT#g@@s").isEqualTo(NamingWire.instanceId(numbered, "g@@s"));
        assertThat(NamingWire.numberedId(new InstanceKey("10.0.0.2", 80, "DEFAULT"), "g@@s"))
                .isNotEqualTo(id);
        assertThat(NamingWire.numberedId(INSTANCE.key(), "g@@t").split("#")[0]).isNotEqualTo(id.split("#")[0]);
    }

    @Test
    void anInstanceHasTheFieldsThatClientsRead() {
        assertThat(json(INSTANCE))
                .isEqualTo(
                        "{\"instanceId\":\"10.0.0.1#80#DEFAULT#g@@s\",\"ip\":\"10.0.0.1\",\"port\":80,\"weight\":1.0,"
                                + "\"healthy\":true,\"enabled\":true,\"ephemeral\":true,\"clusterName\":\"DEFAULT\","
                                + "\"serviceName\":\"g@@s\",\"metadata\":{},\"instanceHeartBeatInterval\":5000,"
                                + "\"instanceHeartBeatTimeOut\":15000,\"ipDeleteTimeout\":30000,"
                                + "\"instanceIdGenerator\":\"simple\"}");
    }

    @Test
    void timesAndTheKindOfIdComeFromTheMetadata() {
        assertThat(json(INSTANCE.withMetadata(Map.of(Instance.BEAT_INTERVAL, "1000"))))
                .contains("\"instanceHeartBeatInterval\":1000,")
                .contains("\"metadata\":{\"preserved.heart.beat.interval\":\"1000\"}")
                .doesNotContain("instanceIdGenerator");
        assertThat(json(INSTANCE.withMetadata(Map.of(Instance.ID_GENERATOR, "snowflake"))))
                .endsWith("\"instanceIdGenerator\":\"snowflake\"}");
    }

    private static String json(Instance instance) {
        return new String(NamingWire.instance(instance, "g@@s"), StandardCharsets.UTF_8);
    }
}
