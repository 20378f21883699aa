package io.cairn.distribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.process.CairnProcess;
import io.cairn.server.process.CairnStartException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

/** The packed server under {@link CairnProcess}, by which other modules test against it. */
final class PackedServerIT {
    @Test
    void servesAgainAfterAKill() throws Exception {
        try (CairnProcess cairn = CairnProcess.builder().start()) {
            assertThat(readiness(cairn)).isEqualTo(200);
            cairn.kill();
            cairn.restart();
            assertThat(readiness(cairn)).isEqualTo(200);

            var second = CairnProcess.builder()
                    .setting("cairn.data-dir", cairn.home().resolve("data"));
            assertThatThrownBy(second::start)
                    .isInstanceOf(CairnStartException.class)
                    .hasMessageContaining(cairn.home().resolve("data").toString());
            assertThat(cairn.stop()).isIn(0, 143);
        }
    }

    private static int readiness(CairnProcess cairn) throws Exception {
        var request = HttpRequest.newBuilder(
                URI.create("http://" + cairn.serverAddress() + "/nacos/v1/console/health/readiness"));
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
