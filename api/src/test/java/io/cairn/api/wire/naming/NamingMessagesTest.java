package io.cairn.api.wire.naming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.wire.JsonInput;
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

    private static <T> T read(String json, Function<JsonInput, T> reader) {
        return JsonInput.read(Payload.of("T", json.getBytes(StandardCharsets.UTF_8)), reader);
    }
}
