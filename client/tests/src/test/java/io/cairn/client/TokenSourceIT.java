package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.client.naming.Registration;
import io.cairn.server.support.CairnExtension;
import io.cairn.testing.TestIssuer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The client with tokens of an issuer in place of a user. */
class TokenSourceIT {

    private static final TestIssuer issuer = TestIssuer.start();

    @RegisterExtension
    static final CairnExtension CAIRN = CairnExtension.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1")
            .with("cairn.auth.oidc.issuer", issuer.url())
            .with("cairn.auth.oidc.audiences", TestIssuer.AUDIENCE)
            .with("cairn.auth.oidc.clock-skew", "0s")
            .with("cairn.auth.oidc.rules[0]", "groups=apps -> ROLE_ADMIN");

    @AfterAll
    static void stop() {
        issuer.close();
    }

    private static ClientBuilder client(Supplier<String> tokens) {
        return CairnClient.builder()
                .servers(CAIRN.server().address())
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .tokens(tokens);
    }

    private static TestIssuer.Token token() {
        return issuer.token("orders").with("groups", List.of("apps"));
    }

    @Test
    void requestsHaveTheTokenOfTheSource() {
        try (CairnClient client =
                client(() -> token().text()).failFast(PATIENCE).build()) {
            client.configs().publish(client.configs().key("a"), "1");
            assertThat(client.configs()
                            .get(client.configs().key("a"))
                            .orElseThrow()
                            .text())
                    .isEqualTo("1");
            try (Registration registration =
                    client.naming().register(client.naming().service("orders"), Instance.of("10.0.0.5", 8080))) {
                assertThat(client.naming().instances(registration.service())).hasSize(1);
            }
        }
    }

    @Test
    void anApplicationGetsTokensWithItsCredentials() {
        issuer.issue(Duration.ofHours(1), Map.of("groups", List.of("apps")));
        issuer.secret("s3 cret&");
        int before = issuer.tokensIssued();
        ClientCredentials source = new ClientCredentials(issuer.url() + '/', "orders", "s3 cret&");
        try (CairnClient client = client(source).failFast(PATIENCE).build()) {
            client.configs().publish(client.configs().key("by-credentials"), "1");
        }
        source.get();
        assertThat(issuer.tokensIssued()).as("kept").isEqualTo(before + 1);

        assertThatThrownBy(() -> new ClientCredentials(issuer.url(), "orders", "wrong").get())
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("/token was answered with 401")
                .hasMessageContaining("invalid_client")
                .hasMessageNotContaining("wrong");
        issuer.secret(null);
    }

    @Test
    void aWatchGoesOnWithTheNextToken() {
        AtomicInteger asked = new AtomicInteger();
        Supplier<String> tokens = () -> {
            asked.incrementAndGet();
            return token().ends(Duration.ofSeconds(5)).text();
        };
        List<String> seen = new CopyOnWriteArrayList<>();
        try (CairnClient client = client(tokens).failFast(PATIENCE).build();
                CairnClient writer =
                        client(() -> token().text()).failFast(PATIENCE).build()) {
            client.configs().watch(client.configs().key("watched"), content -> seen.add(content.text()));
            writer.configs().publish(writer.configs().key("watched"), "first");
            await().until(() -> seen.contains("first"));
            int before = asked.get();

            await("the first token has expired").until(() -> asked.get() > before);
            writer.configs().publish(writer.configs().key("watched"), "second");
            await().until(() -> seen.contains("second"));
        }
    }

    @Test
    void aSourceWithoutATokenIsReported() {
        assertThatThrownBy(() -> client(() -> "").failFast(PATIENCE).build())
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("the source of tokens returned no token");
    }
}
