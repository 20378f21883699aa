package io.cairn.api.wire.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MalformedMessageException;
import io.cairn.api.wire.Payload;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class NamingMessagesTest {

    private static final ServiceName NOTHING = new ServiceName(null, null, null);
    private static final InstanceFields USUAL =
            new InstanceFields(null, null, 0, 1.0, true, true, true, null, Map.of());

    /** As large as revisions are, which begin with the time in ms, times 1,000. */
    private static final long REVISION = 1_795_728_000_000_003L;

    private static final String CHANGED = "{\"ip\":\"10.0.0.1\",\"port\":80,\"weight\":2.5,\"healthy\":false,"
            + "\"enabled\":true,\"ephemeral\":true,\"clusterName\":\"east\",\"metadata\":{\"k\":\"ü\"}}";

    @Test
    void aRegistrationAsTheJavaClientSendsIt() {
        assertThat(read(
                        "{\"headers\":{},\"namespace\":\"public\",\"serviceName\":\"s\",\"groupName\":\"g\","
                                + "\"type\":\"registerInstance\",\"instance\":{\"ip\":\"10.0.0.1\",\"port\":80,"
                                + "\"weight\":2.5,\"healthy\":false,\"enabled\":false,\"ephemeral\":false,"
                                + "\"clusterName\":\"east\",\"serviceName\":\"s\",\"metadata\":{\"k\":\"ü\"},"
                                + "\"instanceId\":\"i\",\"instanceHeartBeatInterval\":5000},\"module\":\"naming\"}",
                        InstanceRequest::read))
                .isEqualTo(new InstanceRequest(
                        new ServiceName("public", "s", "g"),
                        InstanceRequest.REGISTER,
                        new InstanceFields("i", "10.0.0.1", 80, 2.5, false, false, false, "east", Map.of("k", "ü"))));
    }

    @Test
    void anAbsentOrNullFieldHasItsDefault() {
        assertThat(read("{}", InstanceRequest::read)).isEqualTo(new InstanceRequest(NOTHING, null, null));
        assertThat(read("{\"type\":null,\"instance\":null}", InstanceRequest::read))
                .isEqualTo(new InstanceRequest(NOTHING, null, null));
        assertThat(read("{\"instance\":{}}", InstanceRequest::read).instance()).isEqualTo(USUAL);
        assertThat(read(
                                "{\"instance\":{\"ip\":null,\"port\":null,\"weight\":null,\"healthy\":null,"
                                        + "\"enabled\":null,\"ephemeral\":null,\"metadata\":null}}",
                                InstanceRequest::read)
                        .instance())
                .isEqualTo(USUAL);
        assertThat(read("{}", BatchInstanceRequest::read))
                .isEqualTo(new BatchInstanceRequest(NOTHING, null, List.of()));
        assertThat(read("{}", ServiceQueryRequest::read)).isEqualTo(new ServiceQueryRequest(NOTHING, null, false));
        assertThat(read("{}", ServiceListRequest::read)).isEqualTo(new ServiceListRequest(NOTHING, 0, 0));
    }

    @Test
    void aBatchKeepsItsOrder() {
        BatchInstanceRequest batch = read(
                "{\"type\":\"batchRegisterInstance\",\"serviceName\":\"s\",\"instances\":"
                        + "[{\"ip\":\"b\",\"port\":1},{\"ip\":\"a\",\"port\":2}]}",
                BatchInstanceRequest::read);

        assertThat(batch.type()).isEqualTo(BatchInstanceRequest.REGISTER);
        assertThat(batch.instances()).extracting(InstanceFields::ip).containsExactly("b", "a");
        assertThatThrownBy(() -> batch.instances().clear()).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aQueryNamesItsClustersInEitherSpelling() {
        assertThat(read("{\"cluster\":\"a,b\",\"healthyOnly\":true}", ServiceQueryRequest::read))
                .isEqualTo(new ServiceQueryRequest(NOTHING, "a,b", true));
        assertThat(read("{\"clusters\":\"a\"}", ServiceQueryRequest::read).clusters())
                .isEqualTo("a");
    }

    @Test
    void subscribingIsTheDefault() {
        assertThat(read("{\"serviceName\":\"s\"}", SubscribeServiceRequest::read))
                .isEqualTo(new SubscribeServiceRequest(new ServiceName(null, "s", null), true, null, null));
        assertThat(read("{\"subscribe\":null}", SubscribeServiceRequest::read).subscribe())
                .isTrue();
        assertThat(read("{\"subscribe\":false,\"clusters\":\"\"}", SubscribeServiceRequest::read))
                .isEqualTo(new SubscribeServiceRequest(NOTHING, false, "", null));
    }

    /** Servers and clients of other builds rely on these names; a client that takes no deltas sends no {@code since}. */
    @Test
    void subscriptionWithDeltasNamesTheRevisionThatTheClientHas() {
        ServiceName service = new ServiceName("public", "s", "g");
        String fields = "{\"namespace\":\"public\",\"serviceName\":\"s\",\"groupName\":\"g\","
                + "\"subscribe\":true,\"clusters\":\"\",";
        SubscribeServiceRequest whole = new SubscribeServiceRequest(service, true, "", null);
        SubscribeServiceRequest first = new SubscribeServiceRequest(service, true, "", 0L);
        SubscribeServiceRequest later = new SubscribeServiceRequest(service, true, "", REVISION);

        assertThat(text(whole.toJson())).isEqualTo(fields + "\"module\":\"naming\"}");
        assertThat(text(first.toJson())).isEqualTo(fields + "\"since\":0,\"module\":\"naming\"}");
        assertThat(text(later.toJson())).isEqualTo(fields + "\"since\":1795728000000003,\"module\":\"naming\"}");
        for (SubscribeServiceRequest request : List.of(whole, first, later)) {
            assertThat(read(text(request.toJson()), SubscribeServiceRequest::read))
                    .isEqualTo(request);
        }
    }

    @Test
    void deltaIsReadAsItIsWritten() {
        Instance changed =
                new Instance(new InstanceKey("10.0.0.1", 80, "east"), 2.5, false, true, true, Map.of("k", "ü"), null);
        JsonOutput out = new JsonOutput(16)
                .object(
                        ServiceDelta.FIELD,
                        new ServiceName("public", "s", "g"),
                        (service, fields) -> ServiceDelta.write(
                                fields,
                                service,
                                REVISION - 2,
                                REVISION,
                                new byte[][] {CHANGED.getBytes(StandardCharsets.UTF_8)},
                                List.of(new InstanceKey("10.0.0.2", 81, "DEFAULT")),
                                1_795_728_000_123L));
        String json = text(out.toBytes());

        assertThat(json)
                .isEqualTo("{\"serviceDelta\":{\"name\":\"s\",\"groupName\":\"g\",\"since\":1795728000000001,"
                        + "\"revision\":1795728000000003,\"changed\":[" + CHANGED
                        + "],\"removed\":[{\"ip\":\"10.0.0.2\","
                        + "\"port\":81,\"clusterName\":\"DEFAULT\"}],\"lastRefTime\":1795728000123}}");
        ServiceAnswer answer = read(json, ServiceAnswer::read);
        assertThat(answer.service()).isNull();
        assertThat(answer.revision()).isZero();
        assertThat(answer.delta())
                .isEqualTo(new ServiceDelta(
                        "s",
                        "g",
                        REVISION - 2,
                        REVISION,
                        List.of(changed),
                        List.of(new InstanceKey("10.0.0.2", 81, "DEFAULT")),
                        1_795_728_000_123L));
    }

    @Test
    void aWholeListMayHaveARevision() {
        String info = "\"serviceInfo\":{\"name\":\"s\",\"groupName\":\"g\",\"hosts\":[" + CHANGED + "]}";

        ServiceAnswer answer = read(
                "{\"requestId\":\"5\"," + info + ",\"revision\":1795728000000003,\"module\":\"naming\"}",
                ServiceAnswer::read);

        assertThat(answer.requestId()).isEqualTo("5");
        assertThat(answer.revision()).isEqualTo(REVISION);
        assertThat(answer.delta()).isNull();
        assertThat(answer.service().hosts()).hasSize(1);
        assertThat(read('{' + info + '}', ServiceAnswer::read).revision())
                .as("from servers that tell none")
                .isZero();
    }

    @Test
    void aDeltaWithoutSomeFieldsChangesNothing() {
        assertThat(read("{\"serviceDelta\":{\"changed\":null,\"removed\":null,\"since\":null}}", ServiceAnswer::read)
                        .delta())
                .isEqualTo(new ServiceDelta(null, null, 0, 0, List.of(), List.of(), 0));
        assertThat(read("{\"serviceDelta\":null}", ServiceAnswer::read).delta()).isNull();
        assertThat(read("{\"changed\":[{\"ip\":\"\",\"port\":80}]}", ServiceDelta::read)
                        .changed())
                .as("an instance without an address")
                .isEmpty();
        assertMalformed("{\"removed\":[{\"port\":80}]}", ServiceDelta::read);
        assertMalformed("{\"since\":[]}", ServiceDelta::read);
        assertMalformed("{\"revision\":\"new\"}", ServiceDelta::read);
    }

    @Test
    void requestsAListByPage() {
        assertThat(read(
                        "{\"groupName\":\"g\",\"pageNo\":2,\"pageSize\":10,\"selector\":\"\"}",
                        ServiceListRequest::read))
                .isEqualTo(new ServiceListRequest(new ServiceName(null, null, "g"), 2, 10));
    }

    @Test
    void anInstanceWithoutAnAddressDoesNotHideTheOthers() {
        String hosts = "{\"hosts\":[{\"ip\":\"\",\"port\":80},{\"ip\":\"10.0.0.1\",\"port\":99999},"
                + "{\"ip\":\"10.0.0.1\",\"port\":80}]}";
        assertThat(read(hosts, ServiceInfo::read).hosts())
                .singleElement()
                .satisfies(host -> assertThat(host.key().port()).isEqualTo(80));
    }

    @Test
    void fieldsOfTheWrongTypeAreMalformed() {
        assertMalformed("{\"serviceName\":{}}", InstanceRequest::read);
        assertMalformed("{\"instance\":[]}", InstanceRequest::read);
        assertMalformed("{\"instance\":{\"port\":\"eighty\"}}", InstanceRequest::read);
        assertMalformed("{\"instance\":{\"port\":99999999999}}", InstanceRequest::read);
        assertMalformed("{\"instance\":{\"weight\":{}}}", InstanceRequest::read);
        assertMalformed("{\"instance\":{\"metadata\":\"a=b\"}}", InstanceRequest::read);
        assertMalformed("{\"instances\":{}}", BatchInstanceRequest::read);
        assertMalformed("{\"instances\":[1]}", BatchInstanceRequest::read);
        assertMalformed("{\"subscribe\":\"maybe\"}", SubscribeServiceRequest::read);
        assertMalformed("{\"pageNo\":[]}", ServiceListRequest::read);
        assertMalformed("[]", ServiceQueryRequest::read);
        assertMalformed("{\"cluster\":\"a\"", ServiceQueryRequest::read);
    }

    private static void assertMalformed(String json, Function<JsonInput, ?> reader) {
        assertThatThrownBy(() -> read(json, reader)).isInstanceOf(MalformedMessageException.class);
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    private static <T> T read(String json, Function<JsonInput, T> reader) {
        return JsonInput.read(Payload.of("T", json.getBytes(StandardCharsets.UTF_8)), reader);
    }
}
