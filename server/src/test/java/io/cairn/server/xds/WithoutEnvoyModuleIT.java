package io.cairn.server.xds;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.ChildServer;
import io.cairn.server.support.ServiceClient;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.Frames;
import io.cairn.testing.HangLimit;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server without the optional module that reads resources of the mesh, and without protobuf. */
@Tag("full")
class WithoutEnvoyModuleIT {

    private static final Pattern MODULE =
            Pattern.compile("/server/envoy/target/|/cairn-server-envoy-[^/]*\\.jar$|/protobuf-java[^/]*\\.jar$");
    private static final String NO_ROUTE = "content=no+route&dataId=route.main";

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    Path home;

    @Test
    @HangLimit
    void groupIsAnOrdinaryOneAndServicesAreServed() throws Exception {
        try (ChildServer server =
                        ChildServer.startWithout(entry -> MODULE.matcher(entry).find(), home);
                ServiceClient provider = ServiceClient.connect(server.grpcPort());
                AdsClient envoy = AdsClient.sotw(server.grpcPort(), "envoy", Map.of())) {
            provider.register("orders", "10.1.0.1", 8080);
            assertThat(post(server, "/v3/admin/cs/config", NO_ROUTE + "&groupName=CAIRN_XDS&type=yaml")
                            .statusCode())
                    .isEqualTo(200);
            HttpResponse<String> check = post(server, "/v3/admin/mesh/check", NO_ROUTE);
            assertThat(check.statusCode()).as(check.body()).isEqualTo(503);
            assertThat(check.body()).contains("This server has no module for Envoy's resources");

            envoy.ask(XdsType.CDS, "");
            Frames.Response clusters = envoy.next();
            assertThat(clusters.resources()).containsOnlyKeys("orders");
            envoy.ask(XdsType.CDS, clusters.nonce());
            envoy.ask(XdsType.EDS, "", "orders");
            byte[] endpoints = envoy.nextBytes();
            assertThat(new String(endpoints, StandardCharsets.ISO_8859_1)).contains("10.1.0.1");
            envoy.ask(XdsType.EDS, Frames.read(endpoints, false).nonce(), "orders");
            envoy.ask(XdsType.RDS, "", "main");
            assertThat(envoy.next().resources()).isEmpty();

            assertThat(server.output().lines().filter(line -> line.contains("cairn-server-envoy")))
                    .singleElement()
                    .asString()
                    .contains("is not installed: configurations of group CAIRN_XDS are ordinary ones");
        }
    }

    private HttpResponse<String> post(ChildServer server, String path, String form) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos" + path))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
