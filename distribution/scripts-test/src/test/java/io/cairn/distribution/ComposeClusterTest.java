package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The compose file of three nodes, MariaDB and nginx agrees with the server, its image and itself. */
class ComposeClusterTest {

    private static final Path FOLDER = Path.of("..", "deploy", "compose");
    private static final List<String> NODES = List.of("cairn1", "cairn2", "cairn3");

    private final ServerFacts server = new ServerFacts();
    private final String text = Files.readString(FOLDER.resolve("compose.yaml"));
    private final YamlNode compose = YamlNode.read(FOLDER.resolve("compose.yaml"));
    private final YamlNode services = compose.at("services");
    private final String nginx = Files.readString(FOLDER.resolve("nginx.conf"));

    ComposeClusterTest() throws IOException {}

    @Test
    void eachNodeNamesAllNodes() {
        String members =
                NODES.stream().map(name -> name + ':' + server.httpPort()).collect(Collectors.joining(","));

        assertThat(NODES).allSatisfy(name -> {
            assertThat(services.at(name, "command").texts())
                    .containsExactly("-c", members, "--cairn.shutdown.drain=30s");
            assertThat(server.isSetting("cairn.shutdown.drain")).isTrue();
            assertThat(services.at(name, "stop_grace_period").text())
                    .as("the drain, and the time that a server needs to end after it")
                    .isEqualTo("45s");
            assertThat(services.at(name, "environment", "MYSQL_SERVICE_HOST").text())
                    .isEqualTo("mariadb");
        });
    }

    @Test
    void theServerKnowsEachVariable() throws Exception {
        for (String name : NODES) {
            assertThat(services.at(name, "environment").keys()).isNotEmpty().isSubsetOf(server.variables());
        }
    }

    @Test
    void eachNodeHasVolumesOfItsOwnAndNothingElseToWriteTo() {
        Set<String> used = new TreeSet<>();
        for (String name : NODES) {
            Set<String> targets = new TreeSet<>();
            for (String volume : services.at(name, "volumes").texts()) {
                String[] parts = volume.split(":");
                assertThat(used.add(parts[0])).as("%s is shared", parts[0]).isTrue();
                targets.add(parts[1]);
            }
            assertThat(targets).isEqualTo(server.volumes());
            assertThat(services.at(name, "read_only").text()).isEqualTo("true");
            assertThat(services.at(name, "tmpfs").texts()).containsExactly("/tmp");
            assertThat(services.at(name, "cap_drop").texts()).containsExactly("ALL");
        }
        used.add("mariadb");
        assertThat(compose.at("volumes").keys()).isEqualTo(used);
    }

    @Test
    void startsAServiceOnceItsDependenciesAreHealthy() {
        assertThat(NODES).allSatisfy(name -> assertThat(
                        services.at(name, "depends_on", "mariadb", "condition").text())
                .isEqualTo("service_healthy"));
        assertThat(NODES).allSatisfy(name -> assertThat(
                        services.at("nginx", "depends_on", name, "condition").text())
                .isEqualTo("service_healthy"));
        assertThat(services.at("mariadb", "healthcheck", "test").texts()).contains("--innodb_initialized");
        String url = services.at("nginx", "healthcheck", "test").texts().get(5);
        assertThat(url).isEqualTo("http://127.0.0.1:" + server.httpPort() + "/nacos/v3/admin/core/state/readiness");
    }

    @Test
    void noFileContainsAPassword() throws Exception {
        String variable = "CAIRN_DATABASE_PASSWORD";
        List<String> example = Files.readAllLines(FOLDER.resolve(".env.example"));

        assertThat(text.lines()
                        .filter(line -> !line.startsWith("#") && line.contains("PASSWORD"))
                        .map(String::strip))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).matches("\\w+: (\"1\"|\\$\\{" + variable + ":\\?[^}]+})"));
        assertThat(example.stream().filter(line -> line.contains("=") && !line.startsWith("#")))
                .containsExactly(variable + '=');
        assertThat(text).contains("printf '" + variable + "=%s\\n' \"$(openssl rand -hex 24)\" > .env");
    }

    @Test
    void nginxPassesBothPortsToAllNodes() {
        int grpc = server.httpPort() + server.grpcOffset();
        String http = nginx.substring(nginx.indexOf("\nhttp {"), nginx.indexOf("\nstream {"));
        String stream = nginx.substring(nginx.indexOf("\nstream {"));

        assertThat(upstream(http)).isEqualTo(addresses(server.httpPort()));
        assertThat(upstream(stream)).as("by connection, and not by call").isEqualTo(addresses(grpc));
        assertThat(ServerFacts.found(http, "listen (\\d+);")).containsExactly(String.valueOf(server.httpPort()));
        assertThat(ServerFacts.found(stream, "listen (\\d+);")).containsExactly(String.valueOf(grpc));
        assertThat(services.at("nginx", "ports").texts())
                .containsExactly(server.httpPort() + ":" + server.httpPort(), grpc + ":" + grpc);
        assertThat(services.at("nginx", "volumes").texts()).containsExactly("./nginx.conf:/etc/nginx/nginx.conf:ro");
        assertThat(Arrays.asList(http, stream))
                .allSatisfy(part -> assertThat(part).contains("resolver 127.0.0.11"));
    }

    @Test
    void theImageForOneServerAndThisOneHaveTheSameLimits() throws Exception {
        for (String file : List.of("compose.yaml", "compose-postgresql.yaml")) {
            YamlNode single =
                    YamlNode.read(FOLDER.resolveSibling("docker").resolve(file)).at("services", "cairn");

            for (String part : List.of("mem_limit", "read_only", "tmpfs", "cap_drop", "security_opt", "restart")) {
                assertThat(entry(part, services.at("cairn1", part))).as(file).isEqualTo(entry(part, single.at(part)));
            }
        }
    }

    private static Set<String> upstream(String part) {
        return ServerFacts.found(part, "server (\\S+:\\d+) resolve ");
    }

    private static Set<String> addresses(int port) {
        return NODES.stream().map(name -> name + ':' + port).collect(Collectors.toCollection(TreeSet::new));
    }
}
