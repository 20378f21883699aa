package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** The chart, rendered by helm where that is at hand. {@link HelmChartTest} reads the committed results everywhere. */
@Tag("full")
class HelmRenderingIT {

    private static final boolean WRITE = Boolean.getBoolean("cairn.helm.write");
    private static final String CLUSTER = "replicaCount=3,database.type=mysql,database.host=db";
    private static final String STORED = "c3RvcmVk";
    private static final Map<String, String> KUBERNETES = Map.of(
            "/version",
            "{\"major\": \"1\", \"minor\": \"30\", \"gitVersion\": \"v1.30.0\"}",
            "/api",
            "{\"kind\": \"APIVersions\", \"versions\": [\"v1\"]}",
            "/apis",
            "{\"kind\": \"APIGroupList\", \"apiVersion\": \"v1\", \"groups\": [" + group("apps") + ", "
                    + group("policy") + "]}",
            "/api/v1",
            kinds("v1", kind("secrets", "Secret"), kind("services", "Service")),
            "/apis/apps/v1",
            kinds("apps/v1", kind("statefulsets", "StatefulSet")),
            "/apis/policy/v1",
            kinds("policy/v1", kind("poddisruptionbudgets", "PodDisruptionBudget")),
            "/api/v1/namespaces/registry/secrets/cairn",
            "{\"kind\": \"Secret\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"cairn\", \"labels\":"
                    + " {\"app.kubernetes.io/managed-by\": \"Helm\"}, \"annotations\": {\"meta.helm.sh/release-name\": \"cairn\","
                    + " \"meta.helm.sh/release-namespace\": \"registry\"}}, \"data\": {\"first-password\": \"" + STORED
                    + "\"}}");

    private static String group(String name) {
        String version = "{\"groupVersion\": \"%s/v1\", \"version\": \"v1\"}".formatted(name);
        return "{\"name\": \"%s\", \"versions\": [%s], \"preferredVersion\": %s}".formatted(name, version, version);
    }

    private static String kinds(String version, String... kinds) {
        return "{\"kind\": \"APIResourceList\", \"groupVersion\": \"%s\", \"resources\": [%s]}"
                .formatted(version, String.join(", ", kinds));
    }

    private static String kind(String name, String kind) {
        return "{\"name\": \"%s\", \"namespaced\": true, \"kind\": \"%s\", \"verbs\": [\"get\"]}".formatted(name, kind);
    }

    @BeforeEach
    void helmIsAtHand() {
        assumeTrue(HelmChart.helm().isPresent(), "no helm on the PATH or in CAIRN_HELM");
    }

    @Test
    void rendersTheCommittedManifests() throws Exception {
        for (String form : HelmChart.FORMS) {
            HelmChart.Answer answer = HelmChart.template(form);
            assertThat(answer.status()).as(answer.errors()).isZero();
            // Helm 4 ends each manifest with an empty line.
            String manifests = answer.output().replace("\n\n---\n", "\n---\n");
            if (WRITE) {
                Files.writeString(HelmChart.rendered(form), manifests);
            }
            assertThat(manifests)
                    .as("%s (write it again: %s)", HelmChart.rendered(form), HelmChart.WRITE)
                    .isEqualTo(Files.readString(HelmChart.rendered(form)));
        }
        if (WRITE) {
            HelmChart.writeDigest();
        }
    }

    @ParameterizedTest
    @FieldSource("io.cairn.distribution.HelmChart#FORMS")
    void passesLint(String form) throws Exception {
        HelmChart.Answer answer = HelmChart.lint(form);

        assertThat(answer.status()).as(answer.output() + answer.errors()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
                    replicaCount=3                                       | replicaCount: 3 (expected: 1 with database.type=sqlite;
                    persistence.enabled=false                            | persistence.enabled: false (expected: true with
                    database.type=mysql,database.host=db                 | replicaCount: 1 (expected: 3 to 9 with database.type=mysql;
                    replicaCount=2,database.type=mysql,database.host=db  | replicaCount: 2 (expected: 3 to 9 with database.type=mysql;
                    replicaCount=3,database.type=mysql                   | database.host: not set (expected: the host
                    replicaCount=1,database.type=postgresql              | replicaCount: 1 (expected: 3 to 9 with database.type=postgresql;
                    settings.server\\.port=8850                          | settings: server.port (expected: the value port of the chart
                    settings.server.port=8850                            | settings: server has parts of its own (expected: whole names
                    service.nodePort=30848                               | service.nodePort: set with service.type=ClusterIP (expected:
                    service.type=NodePort,service.nodePort=32000         | service.nodePort: 32000 (expected: at most 31767,
                    ingress.enabled=true                                 | ingress.hosts: none (expected: at least one
                    metrics.serviceMonitor.enabled=true                  | metrics.serviceMonitor.tokenSecret: not set (expected:
                    bridge.enabled=true                                  | bridge.from: not set (expected: the address of the other server,
                    bridge.enabled=true,bridge.from=x,bridge.user=nacos  | bridge.existingSecret: not set (expected: a secret
                    bridge.enabled=true,bridge.from=x,bridge.options={--cut-over} | bridge.options: --cut-over (expected: a cut-over by hand,
                    replicas=3                                           | additional properties 'replicas' not allowed
                    """)
    void refusesInvalidValuesInOneLineWithTheExpectedOnes(String values, String line) throws Exception {
        HelmChart.Answer answer = HelmChart.templateWith(values);

        assertThat(answer.status()).isNotZero();
        assertThat(answer.output()).isEmpty();
        assertThat(answer.errors().lines().filter(each -> each.contains(line)))
                .as(answer.errors())
                .hasSize(1);
    }

    @Test
    void generatesMissingPasswords(@TempDir Path folder) throws Exception {
        YamlNode secret = secret(folder, HelmChart.templateWith(CLUSTER));

        assertThat(secret.at("data").strings()).containsOnlyKeys("first-password", "database-password");
        assertThat(secret.at("data").strings().values())
                .allSatisfy(password ->
                        assertThat(Base64.getDecoder().decode(password)).hasSizeGreaterThanOrEqualTo(24));
        assertThat(secret.at("metadata", "annotations", "helm.sh/resource-policy")
                        .text())
                .isEqualTo("keep");
    }

    @Test
    void anUpgradeTakesOverTheStoredPasswords(@TempDir Path folder) throws Exception {
        HttpServer kubernetes = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        kubernetes.createContext("/", HelmRenderingIT::answer);
        kubernetes.start();
        try {
            Path access = Files.writeString(folder.resolve("access"), """
                    {"apiVersion": "v1", "kind": "Config", "current-context": "c",
                     "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:%d"}}],
                     "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                     "users": [{"name": "u", "user": {}}]}
                    """.formatted(
                            kubernetes.getAddress().getPort()));
            HelmChart.Answer answer = HelmChart.templateWith(
                    CLUSTER, "--dry-run=server", "--disable-openapi-validation", "--kubeconfig", access.toString());

            assertThat(secret(folder, answer).at("data").strings())
                    .containsEntry("first-password", STORED)
                    .as("made, because there was none")
                    .containsKey("database-password");
        } finally {
            kubernetes.stop(0);
        }
    }

    /** Answers as the API of Kubernetes does that has the secret of a release with one server. */
    private static void answer(HttpExchange exchange) throws IOException {
        String answer = KUBERNETES.get(exchange.getRequestURI().getPath());
        byte[] body =
                (answer == null ? "{\"kind\": \"Status\", \"code\": 404}" : answer).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static YamlNode secret(Path folder, HelmChart.Answer answer) throws IOException {
        assertThat(answer.status()).as(answer.errors()).isZero();
        return YamlNode.all(Files.writeString(folder.resolve("rendered.yaml"), answer.output())).stream()
                .filter(each -> each.at("kind").text().equals("Secret"))
                .findFirst()
                .orElseThrow();
    }
}
