package io.cairn.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Plays the recorded messages of Nacos clients and servers, with Cairn as the server. */
class RecordedSamplesIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static final String ABILITIES = "announces its abilities to every client version";
    private static final String NULL_POINTER = "the reference answers with the text of a null pointer";
    private static final String LENIENT = "Cairn accepts what the reference refuses, because some SDKs send it";
    private static final String SETUP_ACK =
            "{\"headers\":{},\"abilityTable\":{\"supportPersistentInstanceByGrpc\":true,\"fuzzyWatch\":true},"
                    + "\"module\":\"internal\"}";
    private static final String REGISTERED =
            "{\"resultCode\":200,\"errorCode\":0,\"type\":\"registerInstance\",\"success\":true}";
    private static final String ORDERS = """
            {"serviceName":"orders","type":"registerInstance",
            "instance":{"ip":"10.0.0.5","port":8080,"metadata":{"v":"1"}}}""";
    private static final String PERSISTENT = "PersistentInstanceRequest";
    private static final String PERSIST_SVC = """
            {"serviceName":"persist-svc","type":"registerInstance",
            "instance":{"ip":"127.0.0.1","port":8848,"ephemeral":false,"metadata":{"v":"1"}}}""";

    /** A separate connection, for the registrations of other clients. */
    private static final int OTHER = 9;

    /** The address that the clients send. */
    private static final String PUBLISH_BETA =
            "ConfigPublishRequest {\"dataId\":\"app.yaml\",\"group\":\"DEFAULT_GROUP\","
                    + "\"content\":\"a: beta\",\"additionMap\":{\"type\":\"yaml\",\"betaIps\":\"127.0.0.1\"}}";

    @RegisterExtension
    static final CairnExtension cairn =
            CairnExtension.temporary().with("nacos.naming.clean.empty-service.expired-time", "100");

    @RegisterExtension
    static final CairnExtension impatient = CairnExtension.temporary()
            .with("cairn.connections.silence", "1s")
            .with("cairn.connections.detection-timeout", "8s");

    static Stream<RecordedFlow> flows() {
        List<RecordedFlow> flows = new ArrayList<>();
        for (String version : List.of("2.5.1", "3.0.3")) {
            String tenant = version.equals("2.5.1") ? "" : "public";
            flows.add(flow(version, "connection-config").butInLine(4, SETUP_ACK, ABILITIES));
            flows.add(flow(version, "connection-naming").butInLine(4, SETUP_ACK, ABILITIES));
            flows.add(given(flow(version, "config-listen"), "app.yaml", "a: 2"));
            flows.add(listening(
                    given(flow(version, "config-listen-notify"), "app.yaml", "a: 2"),
                    "app.yaml",
                    tenant,
                    "9de2a49d06deb9c0194660123ef188d8"));
            flows.add(grayChange(
                    listening(
                            given(flow(version, "config-gray-beta"), "app.yaml", "a: 4"),
                            "app.yaml",
                            tenant,
                            "c98a9bd88dffc5caff58a0af98780cde"),
                    PUBLISH_BETA));
            flows.add(flow(version, "config-tenant").butInLine(4, SETUP_ACK, ABILITIES));
            flows.add(flow(version, "error-missing-field")
                    .butInLine(2, noSuchName("dataId"), NULL_POINTER)
                    .butInLine(4, noSuchName("group"), NULL_POINTER)
                    .butInLine(6, noSuchName("dataId"), NULL_POINTER)
                    .butInLine(
                            16,
                            "ConfigChangeBatchListenResponse",
                            "{\"resultCode\":500,\"errorCode\":400,\"message\":\"invalid group : null\","
                                    + "\"changedConfigs\":[],\"success\":false}",
                            NULL_POINTER)
                    .butInLine(
                            22,
                            "ErrorResponse",
                            "{\"resultCode\":500,\"errorCode\":500,"
                                    + "\"message\":\"Param 'serviceName' is illegal, serviceName is blank\","
                                    + "\"success\":false}",
                            "the reference leaves the name out of its answer, which strict clients cannot read")
                    .butInLine(
                            24,
                            "{\"resultCode\":200,\"errorCode\":0,\"serviceInfo\":" + info("s1", "")
                                    + ",\"success\":true}",
                            "the reference leaves the group out; for Cairn it is the default one")
                    .butInLine(
                            26,
                            "ServiceListResponse",
                            "{\"resultCode\":200,\"errorCode\":0,\"count\":0,\"serviceNames\":[],\"success\":true}",
                            NULL_POINTER));
            flows.add(errorNaming(version));
            flows.add(registered(flow(version, "naming-list"), OTHER, ORDERS));
            flows.add(registered(flow(version, "naming-query"), OTHER, ORDERS));
            flows.add(registered(flow(version, "naming-subscribe"), OTHER, ORDERS));
        }
        flows.add(flow("3.0.3", "config-tenant-echo"));
        flows.add(flow("2.5.1", "config-tenant-echo")
                .butInLine(
                        8,
                        "{\"resultCode\":200,\"errorCode\":0,\"changedConfigs\":[{\"group\":\"DEFAULT_GROUP\","
                                + "\"dataId\":\"te.yaml\",\"tenant\":\"public\"}],\"success\":true}",
                        "2.5.1 takes tenant public for another namespace here, though not where it publishes;"
                                + " 3.0.3 and Cairn take them for one"));
        flows.add(given(flow("2.5.1", "config-cas"), "app.yaml", "a: 1"));
        flows.add(given(flow("2.5.1", "config-get"), "app.yaml", "a: 1"));
        flows.add(listening(
                given(flow("2.5.1", "config-listen-removed"), "app.yaml", "a: 4"),
                "app.yaml",
                "",
                "c98a9bd88dffc5caff58a0af98780cde"));
        flows.add(listening(
                given(flow("2.5.1", "config-listen-same-content"), "app.yaml", "a: 4"),
                "app.yaml",
                "",
                "c98a9bd88dffc5caff58a0af98780cde"));
        flows.add(grayChange(
                listening(
                        grayChange(given(flow("2.5.1", "config-gray-beta-stop"), "app.yaml", "a: 4"), PUBLISH_BETA),
                        "app.yaml",
                        "",
                        "607029669241b114029a148a045a52dd"),
                "ConfigRemoveRequest {\"dataId\":\"app.yaml\",\"group\":\"DEFAULT_GROUP\",\"tag\":\"beta\"}"));
        flows.add(flow("2.5.1", "config-gray-tag")
                .butInLine(
                        27,
                        "{\"resultCode\":500,\"errorCode\":500,"
                                + "\"message\":\"Cas publish gray config fail, server md5 may have changed.\","
                                + "\"success\":false}",
                        "the reference says success on its embedded database, and writes nothing")
                .butInLine(
                        29,
                        "{\"resultCode\":200,\"errorCode\":0,\"success\":true}",
                        NULL_POINTER + " and deletes nothing"));
        flows.add(listening(
                grayChange(
                        given(flow("2.5.1", "config-remove-leaves-gray"), "gray.yaml", "a: 1"),
                        "ConfigPublishRequest {\"dataId\":\"gray.yaml\",\"group\":\"DEFAULT_GROUP\","
                                + "\"content\":\"a: tag\",\"additionMap\":{\"tag\":\"blue\"}}"),
                "gray.yaml",
                "",
                "270f9e65a80226eccd82c99cdd0dd2fb"));
        flows.add(flow("2.5.1", "config-not-found"));
        flows.add(flow("2.5.1", "config-publish"));
        flows.add(given(flow("2.5.1", "config-remove"), "cas-new.yaml", "n: 1"));
        flows.add(flow("2.5.1", "config-shutdown"));
        flows.add(listening(flow("2.5.1", "config-unlisten"), "app.yaml", "", ""));
        flows.add(listening(flow("2.5.1", "config-unlisten-raw"), "gray.yaml", "", ""));
        flows.add(flow("2.5.1", "connection-health-check"));
        flows.add(flow("2.5.1", "connection-healthcheck-on-stream"));
        flows.add(flow("2.5.1", "connection-second-setup").butInLine(2, SETUP_ACK, ABILITIES));
        flows.add(new RecordedFlow("2.5.1/connection-detection", impatient::newTransport));
        flows.add(flow("2.5.1", "error-bad-json")
                .butInLine(
                        8,
                        "{\"resultCode\":500,\"errorCode\":502,\"message\":\"errCode: 101, errMsg: Nacos deserialize failed.  "
                                + "dataId: an array (expected: text)\",\"success\":false}",
                        "a refusal names the field"));
        flows.add(flow("2.5.1", "error-cluster-only-type"));
        flows.add(flow("2.5.1", "error-param-check"));
        flows.add(flow("2.5.1", "error-unknown-type"));
        flows.add(flow("2.5.1", "error-unregistered"));
        flows.add(flow("2.5.1", "raw-setup"));
        flows.addAll(naming());
        flows.addAll(fuzzyNaming());
        flows.addAll(fuzzyConfigs());
        return flows.stream();
    }

    private static List<RecordedFlow> naming() {
        String another = ORDERS.replace("8080", "8081").replace("\"v\"", "\"zone\":\"b\",\"v\"");
        return List.of(
                flow("2.5.1", "naming-register"),
                subscribed(registered(flow("2.5.1", "naming-push-replace"), 1, ORDERS), 2),
                subscribed(registered(flow("2.5.1", "naming-deregister"), 1, another), 2),
                flow("2.5.1", "naming-query-empty"),
                subscribed(flow("2.5.1", "naming-unsubscribe"), 1),
                flow("2.5.1", "naming-batch-register"),
                request(flow("2.5.1", "naming-batch-deregister"), 1, "BatchInstanceRequest", """
                        {"serviceName":"batch-svc","type":"batchRegisterInstance",
                        "instances":[{"ip":"10.0.0.6","port":1},{"ip":"10.0.0.6","port":2}]}"""),
                flow("2.5.1", "naming-persistent"),
                request(flow("2.5.1", "naming-persistent-deregister"), OTHER, PERSISTENT, PERSIST_SVC),
                request(flow("2.5.1", "naming-persistent-conflict"), OTHER, PERSISTENT, PERSIST_SVC),
                flow("2.5.1", "naming-shutdown"),
                flow("2.5.1", "naming-on-config-connection")
                        .butInLine(2, "InstanceResponse", REGISTERED, LENIENT)
                        .butInLine(
                                4,
                                "SubscribeServiceResponse",
                                "{\"resultCode\":200,\"errorCode\":0,\"message\":\"success\",\"serviceInfo\":"
                                        + info("s", host("s")) + ",\"success\":true}",
                                LENIENT));
    }

    private static RecordedFlow errorNaming(String version) {
        String names = "\"nodesvc\",\"nons\",\"s\"";
        return registered(
                        flow(version, "error-naming"),
                        OTHER,
                        "{\"serviceName\":\"s\",\"type\":\"registerInstance\",\"instance\":{\"ip\":\"1.1.1.1\",\"port\":1}}")
                .butInLine(12, "InstanceResponse", REGISTERED, LENIENT)
                .butInLine(14, "InstanceResponse", REGISTERED, LENIENT)
                .butInLine(22, services(3, names), "the registration above exists")
                .butInLine(24, services(3, ""), "the registration above exists");
    }

    private static String services(int count, String names) {
        return "{\"resultCode\":200,\"errorCode\":0,\"count\":" + count + ",\"serviceNames\":[" + names
                + "],\"success\":true}";
    }

    private static List<RecordedFlow> fuzzyNaming() {
        String first = service("fzsvc-1", 1);
        String second = service("fzsvc-2", 2);
        return List.of(
                registered(flow("3.0.3", "fuzzy-naming-watch"), OTHER, first),
                fuzzyWatching(registered(flow("3.0.3", "fuzzy-naming-add"), OTHER, first), 2),
                fuzzyWatching(registered(flow("3.0.3", "fuzzy-naming-delete-instance"), 1, second), 2),
                fuzzyWatching(registered(flow("3.0.3", "fuzzy-naming-cancel"), OTHER, first), 1));
    }

    private static List<RecordedFlow> fuzzyConfigs() {
        return List.of(
                fuzzyGiven(flow("3.0.3", "fuzzy-config-watch"), "fz-2.yaml", "fz-1.yaml"),
                fuzzyConfigWatching(flow("3.0.3", "fuzzy-config-add")),
                fuzzyConfigWatching(fuzzyGiven(flow("3.0.3", "fuzzy-config-change"), "fz-3.yaml")),
                fuzzyConfigWatching(fuzzyGiven(flow("3.0.3", "fuzzy-config-delete"), "fz-3.yaml")),
                fuzzyConfigWatching(fuzzyGiven(flow("3.0.3", "fuzzy-config-cancel"), "fz-1.yaml")));
    }

    private static RecordedFlow fuzzyGiven(RecordedFlow flow, String... dataIds) {
        for (String dataId : dataIds) {
            request(flow, OTHER, "ConfigPublishRequest", """
                    {"dataId":"%s","group":"FZ","tenant":"public","content":"x: 3"}""".formatted(dataId));
        }
        return flow;
    }

    private static RecordedFlow fuzzyConfigWatching(RecordedFlow flow) {
        return fuzzyWatching(flow, 1, "ConfigFuzzyWatchRequest", "public>>FZ>>fz-*");
    }

    private static String service(String name, int port) {
        return "{\"serviceName\":\"" + name + "\",\"groupName\":\"FZ\",\"type\":\"registerInstance\","
                + "\"instance\":{\"ip\":\"10.0.0.5\",\"port\":" + port + "}}";
    }

    private static RecordedFlow fuzzyWatching(RecordedFlow flow, int connection) {
        return fuzzyWatching(flow, connection, "NamingFuzzyWatchRequest", "public>>FZ>>fzsvc-*");
    }

    private static RecordedFlow fuzzyWatching(RecordedFlow flow, int connection, String type, String pattern) {
        request(flow, connection, type, """
                {"groupKeyPattern":"%s","watchType":"WATCH","initializing":true}""".formatted(pattern));
        return flow.given(() -> {
            WireClient client = flow.connection(connection);
            Payload push;
            do {
                push = client.nextPush();
                client.acknowledge(push);
            } while (!push.bodyText().contains("FINISH_FUZZY_WATCH_INIT_NOTIFY"));
        });
    }

    @BeforeEach
    void nothingIsRegistered() {
        try (WireClient client = cairn.newClient()) {
            client.request(PERSISTENT, PERSIST_SVC.replace("registerInstance", "deregisterInstance"));
            await().until(() -> Stream.of("DEFAULT_GROUP", "FZ")
                    .allMatch(group -> client.request("ServiceListRequest", "{\"groupName\":\"" + group + "\"}")
                                    .path("count")
                                    .asInt()
                            == 0));
        }
    }

    @BeforeEach
    void nothingIsStored() {
        try (WireClient writer = cairn.newClient()) {
            for (String dataId : List.of("app.yaml", "cas-new.yaml", "absent.yaml", "te.yaml", "gray.yaml", "x")) {
                writer.remove(dataId);
                for (String gray : List.of("beta", "tag_blue")) {
                    writer.request(
                            "ConfigRemoveRequest",
                            "{\"dataId\":\"" + dataId + "\",\"group\":\"DEFAULT_GROUP\",\"tag\":\"" + gray + "\"}");
                }
            }
            writer.request("ConfigRemoveRequest", "{\"dataId\":\"t.json\",\"group\":\"G1\",\"tenant\":\"dev\"}");
            for (int i = 1; i <= 3; i++) {
                writer.request("ConfigRemoveRequest", "{\"dataId\":\"fz-" + i + ".yaml\",\"group\":\"FZ\"}");
            }
            writer.awaitAnnouncements();
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("flows")
    void respondsAsRecorded(RecordedFlow flow) {
        try (flow) {
            flow.play();
        }
    }

    @Test
    void everyRecordedFlowIsPlayed() throws URISyntaxException {
        URI samples = RecordedSamplesIT.class.getResource("/samples").toURI();
        List<String> recorded;
        try (Stream<Path> files = Files.walk(Path.of(samples))) {
            recorded = files.map(file -> Path.of(samples).relativize(file).toString())
                    .filter(file -> file.startsWith("grpc-") && file.endsWith(".jsonl"))
                    .map(file -> file.substring("grpc-".length(), file.length() - ".jsonl".length()))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> played =
                new ArrayList<>(flows().map(RecordedFlow::toString).toList());
        played.add("2.5.1/connection-reset"); // by RecordedResetIT, which can make the server send it
        assertThat(played).containsExactlyInAnyOrderElementsOf(recorded);
    }

    private static RecordedFlow flow(String version, String name) {
        return new RecordedFlow(version + "/" + name, cairn::newTransport);
    }

    private static RecordedFlow given(RecordedFlow flow, String dataId, String content) {
        return flow.given(() -> {
            try (WireClient writer = cairn.newClient()) {
                ObjectNode publish = JSON.createObjectNode()
                        .put("dataId", dataId)
                        .put("group", "DEFAULT_GROUP")
                        .put("content", content);
                publish.putObject("additionMap").put("type", "yaml");
                assertThat(writer.request("ConfigPublishRequest", publish.toString())
                                .path("success")
                                .asBoolean())
                        .isTrue();
                writer.awaitAnnouncements();
            }
        });
    }

    private static RecordedFlow registered(RecordedFlow flow, int connection, String request) {
        return request(flow, connection, "InstanceRequest", request);
    }

    private static RecordedFlow subscribed(RecordedFlow flow, int connection) {
        request(
                flow,
                connection,
                "SubscribeServiceRequest",
                "{\"serviceName\":\"orders\",\"subscribe\":true,\"clusters\":\"\"}");
        return flow.given(() -> {
            WireClient client = flow.connection(connection);
            client.acknowledge(client.nextPush());
        });
    }

    /** The request that a connection has sent before the first line. */
    private static RecordedFlow request(RecordedFlow flow, int connection, String type, String json) {
        return flow.given(() -> {
            WireClient client = flow.connection(connection);
            if (connection == OTHER) {
                client.setUp();
            }
            assertThat(client.request(type, json).path("success").asBoolean()).isTrue();
        });
    }

    private static String info(String service, String hosts) {
        return "{\"name\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\",\"clusters\":\"\",\"cacheMillis\":10000,"
                + "\"hosts\":[" + hosts
                + "],\"lastRefTime\":\"<ts>\",\"checksum\":\"\",\"allIPs\":false,\"allIps\":false,"
                + "\"reachProtectionThreshold\":false,\"valid\":true}";
    }

    private static String host(String service) {
        return "{\"instanceId\":\"1.1.1.1#1#DEFAULT#DEFAULT_GROUP@@" + service + "\",\"ip\":\"1.1.1.1\",\"port\":1,"
                + "\"weight\":1.0,\"healthy\":true,\"enabled\":true,\"ephemeral\":true,\"clusterName\":\"DEFAULT\","
                + "\"serviceName\":\"DEFAULT_GROUP@@" + service + "\",\"metadata\":{},"
                + "\"instanceHeartBeatInterval\":5000,\"instanceHeartBeatTimeOut\":15000,\"ipDeleteTimeout\":30000,"
                + "\"instanceIdGenerator\":\"simple\"}";
    }

    /** @param request its type and its body */
    private static RecordedFlow grayChange(RecordedFlow flow, String request) {
        return flow.given(() -> {
            try (WireClient writer = cairn.newClient()) {
                String[] typeAndBody = request.split(" ", 2);
                assertThat(writer.request(typeAndBody[0], typeAndBody[1])
                                .path("success")
                                .asBoolean())
                        .isTrue();
                writer.awaitAnnouncements();
            }
        });
    }

    private static RecordedFlow listening(RecordedFlow flow, String dataId, String tenant, String md5) {
        return flow.given(() -> {
            ObjectNode listen = JSON.createObjectNode().put("listen", true);
            listen.putArray("configListenContexts")
                    .addObject()
                    .put("dataId", dataId)
                    .put("group", "DEFAULT_GROUP")
                    .put("tenant", tenant)
                    .put("md5", md5);
            assertThat(flow.connection(1)
                            .request("ConfigBatchListenRequest", listen.toString())
                            .path("changedConfigs")
                            .size())
                    .isZero();
        });
    }

    private static String noSuchName(String name) {
        return "{\"resultCode\":500,\"errorCode\":400,\"message\":\"invalid " + name
                + " : null\",\"lastModified\":0,\"beta\":false,\"success\":false}";
    }
}
