package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The registry over version 1 of the HTTP API: what the recorded samples do not show. */
class V1NamingIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String JAVA = "User-Agent: Nacos-Java-Client:v1.4.8";
    /** Its end is far off, so that a busy machine does not miss the time between the two. */
    private static final String SOON_UNHEALTHY = "{\"preserved.heart.beat.interval\":\"100\","
            + "\"preserved.heart.beat.timeout\":\"1000\",\"preserved.ip.delete.timeout\":\"3600000\"}";

    private static final String SHORT_LEASE = "{\"preserved.heart.beat.interval\":\"100\","
            + "\"preserved.heart.beat.timeout\":\"400\",\"preserved.ip.delete.timeout\":\"700\"}";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @AfterEach
    void switchBack() {
        set("pushEnabled", "true");
        set("overriddenServerStatus", "");
        set("limitedUrlMap", "");
        set("clientBeatInterval", "5000");
        set("lightBeatEnabled", "true");
        set("defaultInstanceEphemeral", "true");
        set("pushCacheMillis", "10000");
    }

    @Test
    void anInstanceThatNoLongerBeatsBecomesUnhealthyAndIsRemoved() {
        long registered = System.nanoTime();
        register("fading", "10.1.0.1", "metadata", SOON_UNHEALTHY);
        register("gone", "10.1.0.1", "metadata", SHORT_LEASE);
        AtomicLong lastBeat = new AtomicLong();
        await().until(() -> {
            lastBeat.set(System.nanoTime());
            return beatsOrRegisters("gone");
        });

        await().until(() ->
                hosts("fading").size() == 1 && !hosts("fading").at("/0/healthy").asBoolean());
        assertThat(millisSince(registered)).isGreaterThanOrEqualTo(1_000);
        // Once more where this machine paused for a lease between the beat and the look.
        await().until(() -> {
            assertThat(beat("fading", "10.1.0.1").path("code").asInt()).isEqualTo(10200);
            return hosts("fading").at("/0/healthy").asBoolean();
        });

        await().until(() -> hosts("gone").isEmpty());
        assertThat(millisSince(lastBeat.get())).isGreaterThanOrEqualTo(700);
        assertThat(beat("gone", "10.1.0.1").path("code").asInt()).isEqualTo(20404);
    }

    /** Beats with a short lease; false where this machine paused for longer than it, so that the instance is registered anew. */
    private static boolean beatsOrRegisters(String service) {
        boolean beats = beat(service, "10.1.0.1").path("code").asInt() == 10200;
        if (!beats) {
            register(service, "10.1.0.1", "metadata", SHORT_LEASE);
        }
        return beats;
    }

    private static long millisSince(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
    }

    @Test
    void anInstanceThatBeatsStays() {
        register("beating", "10.1.0.1", "metadata", SHORT_LEASE);

        // Three times as long as it would live without; begun anew where this machine paused for longer than a lease.
        await().during(Duration.ofMillis(2_100))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> beatsOrRegisters("beating")
                        && hosts("beating").at("/0/healthy").asBoolean());
    }

    @Test
    void aBeatThatDescribesItsInstanceRegistersIt() {
        String beat =
                "{\"ip\":\"10.1.0.2\",\"port\":\"8080\",\"weight\":2,\"cluster\":\"C1\",\"metadata\":{\"a\":\"1\"},"
                        + "\"serviceName\":\"DEFAULT_GROUP@@described\",\"scheduled\":true}";

        Answer answer = send("PUT", "/instance/beat?serviceName=DEFAULT_GROUP%40%40described&beat=" + encoded(beat));

        assertThat(answer.text()).isEqualTo("{\"clientBeatInterval\":5000,\"code\":10200,\"lightBeatEnabled\":true}");
        JsonNode host = hosts("described").path(0);
        assertThat(host.path("clusterName").asString()).isEqualTo("C1");
        assertThat(host.path("weight").asDouble()).isEqualTo(2);
        assertThat(host.at("/metadata/a").asString()).isEqualTo("1");
    }

    @Test
    void beatsAreAnsweredAsTheSwitchesSay() {
        register("switched", "10.1.0.1");
        assertThat(beat("switched", "10.1.0.1").path("clientBeatInterval").asInt())
                .isEqualTo(5000);

        set("clientBeatInterval", "7000");
        set("lightBeatEnabled", "false");

        JsonNode answer = beat("switched", "10.1.0.1");
        assertThat(answer.path("clientBeatInterval").asInt()).isEqualTo(7000);
        assertThat(answer.path("lightBeatEnabled").asBoolean()).isFalse();
    }

    @Test
    void readsFormsOfEveryMethod() {
        register("forms", "10.1.0.1");

        assertThat(form("PUT", "/instance", "serviceName=forms&ip=10.1.0.1&port=8080&weight=3&metadata=a%3D1,b%3D2")
                        .text())
                .isEqualTo("ok");
        assertThat(form("PATCH", "/instance", "serviceName=forms&ip=10.1.0.1&port=8080&weight=4")
                        .text())
                .isEqualTo("ok");

        JsonNode host = hosts("forms").path(0);
        assertThat(host.path("weight").asDouble()).isEqualTo(4);
        assertThat(host.path("metadata").toString()).isEqualTo("{\"a\":\"1\",\"b\":\"2\"}");
    }

    @Test
    void keepsOverridesAfterARegistrationAndHidesDisabledInstances() {
        register("set", "10.1.0.1");
        send("PATCH", "/instance?serviceName=set&ip=10.1.0.1&port=8080&enabled=false");

        assertThat(hosts("set")).isEmpty();
        register("set", "10.1.0.1", "weight", "9");
        assertThat(hosts("set")).isEmpty();

        send("PATCH", "/instance?serviceName=set&ip=10.1.0.1&port=8080&enabled=true");
        assertThat(hosts("set").at("/0/weight").asDouble()).isEqualTo(9);
    }

    @Test
    void aPersistentInstanceNeedsNoBeatsAndStaysUntilDeregistered() {
        register("lasting", "10.1.0.1", "ephemeral", "false");
        assertThat(hosts("lasting").at("/0/ephemeral").asBoolean()).isFalse();

        send("DELETE", "/instance?serviceName=lasting&ip=10.1.0.1&port=8080");
        assertThat(hosts("lasting")).as("the ephemeral one was meant").hasSize(1);
        send("DELETE", "/instance?serviceName=lasting&ip=10.1.0.1&port=8080&ephemeral=false");
        assertThat(hosts("lasting")).isEmpty();
    }

    @Test
    void theKindOfAnInstanceThatNamesNoneIsSwitched() {
        set("defaultInstanceEphemeral", "false");

        register("kind", "10.1.0.1");

        assertThat(hosts("kind").at("/0/ephemeral").asBoolean()).isFalse();
    }

    @Test
    void setsAndRemovesMetadataOfSomeInstances() {
        register("batch", "10.1.0.1");
        register("batch", "10.1.0.2");
        String some = encoded("[{\"ip\":\"10.1.0.2\",\"port\":\"8080\"}]");

        assertThat(send("PUT", "/instance/metadata/batch?serviceName=batch&metadata=k%3Dv&instances=" + some)
                        .text())
                .isEqualTo("{\"updated\":[\"10.1.0.2:8080:unknown:DEFAULT:ephemeral\"]}");
        assertThat(hosts("batch").at("/1/metadata/k").asString()).isEqualTo("v");
        assertThat(hosts("batch").at("/0/metadata").isEmpty()).isTrue();

        assertThat(send("PUT", "/instance/metadata/batch?serviceName=batch&metadata=k%3Dv&consistencyType=persist")
                        .text())
                .isEqualTo("{\"updated\":[]}");
        send("DELETE", "/instance/metadata/batch?serviceName=batch&metadata=k%3D");
        assertThat(hosts("batch").at("/1/metadata").isEmpty()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            weight=abc | 400 | For input string: "abc"
            weight=10001 | 400 | instance format invalid: The weights range from 0.0 to 10000.0
            weight=NaN | 400 | instance format invalid: The weights range from 0.0 to 10000.0
            metadata=abc | 500 | Server failed, caused: ErrCode:400, ErrMsg:metadata format incorrect:abc;caused: metadata format incorrect:abc;
            metadata=%7Bbad | 500 | metadata format incorrect
            groupName=a%20b | 400 | Param 'group' is illegal, illegal characters should not appear in the param.
            namespaceId=a%20b | 400 | Param 'namespaceId/tenant' is illegal
            cluster=%E4%B8%AD | 400 | Param 'cluster' is illegal
            ip=a%20b | 400 | Param 'ip' is illegal
            """)
    void explainsRefusedRegistrations(String parameter, int status, String why) {
        String ip = parameter.startsWith("ip=") ? "" : "&ip=10.1.0.1";
        Answer answer = send("POST", "/instance?serviceName=refused&port=80" + ip + '&' + parameter);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.text()).contains(why.replace("\"", answer.text().startsWith("{") ? "\\\"" : "\""));
        assertThat(hosts("refused")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"enabled=on,true", "enabled=Y,true", "enabled=1,false", "enable=false,false", "enabled=None,true"})
    void yesIsSpelledInManyWays(String parameter, boolean listed) {
        String name = "yes-" + parameter.replace('=', '-');
        send("POST", "/instance?serviceName=" + name + "&ip=10.1.0.1&port=80&" + parameter);

        assertThat(hosts(name).size()).isEqualTo(listed ? 1 : 0);
    }

    @Test
    void aListThatHasNotChangedIsTheSameToTheLastByte() {
        register("same", "10.1.0.1");
        String first = send("GET", "/instance/list?serviceName=same").text();
        register("same", "10.1.0.1");

        assertThat(send("GET", "/instance/list?serviceName=same").text()).isEqualTo(first);
        set("pushCacheMillis", "12000");
        assertThat(JSON.readTree(send("GET", "/instance/list?serviceName=same").text())
                        .path("cacheMillis")
                        .asInt())
                .isEqualTo(12_000);
    }

    @Test
    void servicesAreFoundInTheCatalog() {
        register("cat-one", "10.9.0.1", "groupName", "CAT");
        register("cat-two", "10.9.0.2", "groupName", "CAT");
        send("POST", "/service?serviceName=cat-empty&groupName=CAT");

        JsonNode all = JSON.readTree(send("GET", "/catalog/services?pageNo=1&pageSize=2&groupNameParam=CAT")
                .text());
        assertThat(all.path("count").asInt()).isEqualTo(3);
        assertThat(all.path("serviceList")).hasSize(2);
        JsonNode found = JSON.readTree(send(
                        "GET",
                        "/catalog/services?pageNo=1&pageSize=9&hasIpCount=true&serviceNameParam=cat-&instance=9.0.2")
                .text());
        assertThat(found.path("count").asInt()).isEqualTo(1);
        assertThat(found.at("/serviceList/0/name").asString()).isEqualTo("cat-two");
        JsonNode detailed = JSON.readTree(
                send("GET", "/catalog/services?pageNo=1&pageSize=9&serviceNameParam=cat-one&withInstances=true")
                        .text());
        assertThat(detailed.at("/0/clusterMap/DEFAULT/hosts/0").toString())
                .isEqualTo("{\"ip\":\"10.9.0.1\",\"port\":8080,\"valid\":true,\"weight\":1.0,\"enabled\":true,"
                        + "\"metadata\":{}}");
    }

    @Test
    void theSettingsOfAClusterAreShownBeforeItHasInstances() {
        send("POST", "/service?serviceName=cluster-first");
        send(
                "PUT",
                "/cluster?serviceName=cluster-first&clusterName=c1&checkPort=8080&useInstancePort4Check=false&metadata=k%3Dv"
                        + "&healthChecker=" + encoded("{\"type\":\"HTTP\",\"path\":\"/up\"}"));

        for (String path : new String[] {"/catalog/service", "/service"}) {
            JsonNode clusters = JSON.readTree(
                            send("GET", path + "?serviceName=cluster-first").text())
                    .path("clusters");
            assertThat(clusters).as(path).hasSize(1);
            assertThat(clusters.at("/0/name").asString()).isEqualTo("c1");
            assertThat(clusters.at("/0/healthChecker/path").asString()).isEqualTo("/up");
            assertThat(clusters.at("/0/metadata/k").asString()).isEqualTo("v");
        }
    }

    @Test
    void healthIsSetByHandOnlyWhereNothingChecksIt() {
        register("checked", "10.1.0.1", "ephemeral", "false");
        Answer refused = send("PUT", "/health?serviceName=checked&ip=10.1.0.1&port=8080&healthy=false");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text())
                .isEqualTo("health check is still working, service: DEFAULT_GROUP@@checked, cluster: DEFAULT");

        send(
                "PUT",
                "/cluster?serviceName=checked&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true&healthChecker="
                        + encoded("{\"type\":\"NONE\"}"));
        register("checked", "10.1.0.2", "ephemeral", "false");
        assertThat(send("PUT", "/health/instance?serviceName=checked&ip=10.1.0.1&port=8080&valid=false")
                        .text())
                .isEqualTo("ok");

        assertThat(hosts("checked").path(0).path("healthy").asBoolean()).isFalse();
        assertThat(hosts("checked").path(1).path("healthy").asBoolean()).isTrue();
    }

    @Test
    void aSecretOfAHealthCheckerIsNotRepeatedWhenItIsRefused() {
        register("secret", "10.1.0.1");

        Answer refused = send(
                "PUT",
                "/cluster?serviceName=secret&clusterName=DEFAULT&checkPort=80&useInstancePort4Check=true&healthChecker="
                        + encoded("{\"type\":\"NOSUCH\",\"pwd\":\"hunter2\"}"));

        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.text()).doesNotContain("hunter2");
    }

    @Test
    void whileTheServerIsSwitchedOffOnlyTheSwitchesAndItsPeersAreServed() {
        set("overriddenServerStatus", "DOWN");

        Answer refused = send("GET", "/instance/list?serviceName=x");
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.text()).isEqualTo("server is DOWNnow, please try again later!");
        assertThat(send("GET", "/instance/list?serviceName=x", "User-Agent: Nacos-Server")
                        .status())
                .isEqualTo(200);
        assertThat(send("GET", "/operator/switches").text()).contains("\"overriddenServerStatus\":\"DOWN\"");

        set("overriddenServerStatus", "READ_ONLY");
        assertThat(send("GET", "/instance/list?serviceName=x").status()).isEqualTo(200);
        assertThat(send("POST", "/instance?serviceName=x&ip=1.1.1.1&port=1").status())
                .isEqualTo(503);
        set("overriddenServerStatus", "WRITE_ONLY");
        assertThat(send("GET", "/instance/list?serviceName=x").text())
                .isEqualTo("server is WRITE_ONLYnow, please try again later!");
        assertThat(send("POST", "/instance?serviceName=x&ip=1.1.1.1&port=1").status())
                .isEqualTo(200);
    }

    @Test
    void aLimitedPathIsAnsweredWithItsStatus() {
        set("limitedUrlMap", "/nacos/v1/ns/catalog:429");

        assertThat(send("GET", "/catalog/services?pageNo=1&pageSize=1").status())
                .isEqualTo(429);
        assertThat(send("GET", "/service/list?pageNo=1&pageSize=1").status()).isEqualTo(200);
    }

    @Test
    void anOwnerIsNamedUnderEitherPath() {
        String owner = "{\"responsibleServer\":\"" + cairn.server().address() + "\"}";

        assertThat(send("GET", "/operator/distro/client?ip=10.0.0.1&port=80").text())
                .isEqualTo(owner);
        assertThat(send("GET", "/ops/distro/client?ip=10.0.0.1&port=80").text()).isEqualTo(owner);
    }

    @Test
    void aLogLevelThatDoesNotExistIsRefused() {
        assertThat(send("PUT", "/operator/log?logName=io.cairn.nothing&logLevel=warn")
                        .text())
                .isEqualTo("ok");
        assertThat(send("PUT", "/operator/log?logName=io.cairn.nothing&logLevel=loud")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void notifiesAClientOf1xAtItsUdpPort() throws IOException {
        try (DatagramSocket client = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            client.setSoTimeout((int) PATIENCE.toMillis());
            listWithPort("pushed", client.getLocalPort());

            register("pushed", "10.1.0.1");

            DatagramPacket packet = receive(client);
            JsonNode push = read(packet);
            assertThat(push.propertyNames()).containsExactly("type", "data", "lastRefTime");
            assertThat(JSON.readTree(push.path("data").asString()))
                    .isEqualTo(JSON.readTree(
                            send("GET", "/instance/list?serviceName=pushed").text()));
            acknowledge(client, packet, push);
            await().untilAsserted(() ->
                    assertThat(send("GET", "/operator/push/state").text()).contains("\"ratio\":1.0"));
            JsonNode subscribers = JSON.readTree(
                    send("GET", "/service/subscribers?serviceName=pushed").text());
            assertThat(subscribers.path("count").asInt()).isEqualTo(1);
            assertThat(subscribers.at("/subscribers/0/addrStr").asString())
                    .isEqualTo("127.0.0.1:" + client.getLocalPort());
            assertThat(subscribers.at("/subscribers/0/agent").asString()).isEqualTo("Nacos-Java-Client:v1.4.8");
        }
    }

    @Test
    void pushesMissedChangesWhenPushingIsSwitchedOnAgain() throws IOException {
        try (DatagramSocket client = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            client.setSoTimeout((int) PATIENCE.toMillis());
            listWithPort("paused", client.getLocalPort());
            set("pushEnabled", "false");
            register("paused", "10.1.0.1");
            register("paused", "10.1.0.2");

            set("pushEnabled", "true");

            JsonNode push = read(receive(client));
            assertThat(JSON.readTree(push.path("data").asString()).path("hosts"))
                    .as("the first thing it hears is the last state")
                    .hasSize(2);
        }
    }

    private static void listWithPort(String service, int port) {
        assertThat(send("GET", "/instance/list?serviceName=" + service + "&clientIP=127.0.0.1&udpPort=" + port, JAVA)
                        .status())
                .isEqualTo(200);
    }

    private static DatagramPacket receive(DatagramSocket client) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
        client.receive(packet);
        return packet;
    }

    private static JsonNode read(DatagramPacket packet) throws IOException {
        byte[] bytes = Arrays.copyOf(packet.getData(), packet.getLength());
        return JSON.readTree(
                bytes[0] == 0x1f ? new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes() : bytes);
    }

    private static void acknowledge(DatagramSocket client, DatagramPacket packet, JsonNode push) throws IOException {
        byte[] ack = ("{\"type\": \"push-ack\", \"lastRefTime\":\""
                        + push.path("lastRefTime").asLong() + "\", \"data\":\"\"}")
                .getBytes(StandardCharsets.UTF_8);
        client.send(new DatagramPacket(ack, ack.length, packet.getSocketAddress()));
    }

    private static void set(String entry, String value) {
        assertThat(send("PUT", "/operator/switches?entry=" + entry + "&value=" + encoded(value))
                        .text())
                .isEqualTo("ok");
    }

    private static void register(String service, String ip, String... more) {
        StringBuilder query = new StringBuilder("/instance?serviceName=" + service + "&port=8080&ip=" + ip);
        for (int i = 0; i < more.length; i += 2) {
            query.append('&').append(more[i]).append('=').append(encoded(more[i + 1]));
        }
        assertThat(send("POST", query.toString()).text()).isEqualTo("ok");
    }

    private static JsonNode beat(String service, String ip) {
        return JSON.readTree(send("PUT", "/instance/beat?serviceName=" + service + "&port=8080&ip=" + ip)
                .text());
    }

    private static JsonNode hosts(String service) {
        return JSON.readTree(
                        send("GET", "/instance/list?serviceName=" + service).text())
                .path("hosts");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Answer form(String method, String path, String form) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            return http.form(method, "/nacos/v1/ns" + path, form).answer();
        }
    }

    private static Answer send(String method, String path, String... headers) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            return http.request(method, "/nacos/v1/ns" + path, headers).answer();
        }
    }
}
