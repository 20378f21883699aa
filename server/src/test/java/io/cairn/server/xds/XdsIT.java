package io.cairn.server.xds;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.NamingClient;
import io.grpc.Status;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The mesh edge of a running server. */
class XdsIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void envoyGetsServicesAndFollowsThem() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient envoy =
                        AdsClient.sotw(cairn.server().grpcPort(), "envoy", Map.of("services", "followed-*"))) {
            provider.register("followed-a", "10.1.0.1:8080");
            envoy.ask(XdsType.CDS, "");
            Frames.Response clusters = envoy.next();
            assertThat(clusters.resources()).containsOnlyKeys("followed-a");
            envoy.ask(XdsType.CDS, clusters.nonce());
            envoy.ask(XdsType.EDS, "", "followed-a");
            byte[] bytes = envoy.nextBytes();
            assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("10.1.0.1");
            Frames.Response endpoints = Frames.read(bytes, false);
            envoy.ask(XdsType.EDS, endpoints.nonce(), "followed-a");

            try (NamingClient second = NamingClient.connect(cairn)) {
                second.register("followed-a", "10.1.0.2:8080");
                bytes = envoy.nextBytes();
                assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).contains("10.1.0.1", "10.1.0.2");
                envoy.ask(XdsType.EDS, Frames.read(bytes, false).nonce(), "followed-a");
            }
            bytes = envoy.nextBytes();
            assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
                    .contains("10.1.0.1")
                    .doesNotContain("10.1.0.2");
            envoy.ask(XdsType.EDS, Frames.read(bytes, false).nonce(), "followed-a");

            provider.register("followed-b", "10.1.0.3:8080");
            assertThat(envoy.next().resources()).containsOnlyKeys("followed-a", "followed-b");
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .contains("cairn-mesh");
        }
    }

    @Test
    void deltaStreamGetsChangesAlone() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient envoy = AdsClient.delta(cairn.server().grpcPort(), "envoy", Map.of("services", "delta-*"))) {
            provider.register("delta-a", "10.2.0.1:8080");
            envoy.subscribe(XdsType.CDS);
            Frames.Response clusters = envoy.next();
            assertThat(clusters.resources()).containsOnlyKeys("delta-a");
            envoy.ackDelta(clusters);
            provider.register("delta-b", "10.2.0.2:8080");
            assertThat(envoy.next().resources()).containsOnlyKeys("delta-b");
        }
    }

    @Test
    void grpcLibraryGetsTheFourResourcesOfAName() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient library = AdsClient.sotw(cairn.server().grpcPort(), "gRPC Java", Map.of())) {
            provider.register("asked", "10.3.0.1:8080");
            for (XdsType type : new XdsType[] {XdsType.LDS, XdsType.RDS, XdsType.CDS, XdsType.EDS}) {
                library.ask(type, "", "asked");
                Frames.Response response = library.next();
                assertThat(response.type()).isEqualTo(type.shortName());
                assertThat(response.resources()).containsOnlyKeys("asked");
                library.ask(type, response.nonce(), "asked");
            }
        }
    }

    @Test
    void unknownNamesHaveNoClusterButEmptyEndpointsUntilTheyAreRegistered() throws Exception {
        try (NamingClient provider = NamingClient.connect(cairn);
                AdsClient library = AdsClient.sotw(cairn.server().grpcPort(), "gRPC Java", Map.of())) {
            library.ask(XdsType.CDS, "", "not-yet");
            Frames.Response clusters = library.next();
            assertThat(clusters.resources()).isEmpty();
            library.ask(XdsType.CDS, clusters.nonce(), "not-yet");
            library.ask(XdsType.EDS, "", "not-yet");
            Frames.Response endpoints = library.next();
            assertThat(endpoints.resources()).containsOnlyKeys("not-yet");
            library.ask(XdsType.EDS, endpoints.nonce(), "not-yet");
            provider.register("not-yet", "10.4.0.1:8080");
            assertThat(library.next().resources()).containsOnlyKeys("not-yet");
        }
    }

    @Test
    void clientWithoutIdIsRefused() throws Exception {
        try (AdsClient client =
                AdsClient.open(cairn.server().grpcPort(), false, Map.of(), new Frames.Message().text(1, ""))) {
            client.ask(XdsType.CDS, "");
            Status status = client.end.get(10, TimeUnit.SECONDS);
            assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
            assertThat(status.getDescription()).contains("node.id");
        }
    }
}
