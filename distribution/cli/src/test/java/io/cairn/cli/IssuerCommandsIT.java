package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.cli.CairnCommandIT.Answer;
import io.cairn.server.CairnServer;
import io.cairn.testing.TestIssuer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands with tokens of an issuer. */
class IssuerCommandsIT {

    private static final TestIssuer issuer = TestIssuer.start();
    private static CairnServer server;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        issuer.secret("s3 cret&");
        issuer.issue(Duration.ofHours(1), Map.of("groups", List.of("platform")));
        server = CairnServer.builder()
                .temporary()
                .setting("nacos.core.auth.enabled", "true")
                .setting("cairn.auth.oidc.issuer", issuer.url())
                .setting("cairn.auth.oidc.audiences", TestIssuer.AUDIENCE)
                .setting("cairn.auth.oidc.rules[0]", "groups=platform -> ROLE_ADMIN")
                .setting("cairn.auth.oidc.rules[1]", "groups=dev-* -> DEV")
                .start();
        await("the keys of the issuer")
                .until(() -> byCredentials("", "namespace", "list").status() == 0);
        assertThat(byCredentials("", "permission", "grant", "DEV", "dev:*:config/*", "r")
                        .status())
                .isZero();
    }

    @AfterAll
    static void stop() {
        server.close();
        issuer.close();
    }

    private static Answer byCredentials(String input, String... command) {
        String[] all = new String[command.length + 4];
        System.arraycopy(command, 0, all, 0, command.length);
        System.arraycopy(new String[] {"--issuer", issuer.url(), "--client-id", "ops"}, 0, all, command.length, 4);
        return CairnCommandIT.run(
                Map.of("CAIRN_SERVER", server.address(), "CAIRN_CLIENT_SECRET", "s3 cret&"), input, all);
    }

    @Test
    void theSecretMayBeInAFileAndIsNeeded() throws Exception {
        Path file = Files.writeString(folder.resolve("secret"), "s3 cret&\n");
        Map<String, String> environment = Map.of("CAIRN_SERVER", server.address());
        String[] command = {"namespace", "list", "--issuer", issuer.url(), "--client-id", "ops"};

        assertThat(CairnCommandIT.run(environment, "", command).err()).contains("CAIRN_CLIENT_SECRET");
        assertThat(CairnCommandIT.run(
                        environment,
                        "",
                        "namespace",
                        "list",
                        "--issuer",
                        issuer.url(),
                        "--client-id",
                        "ops",
                        "--client-secret-file",
                        file.toString()))
                .satisfies(
                        answer -> assertThat(answer.status()).as(answer.err()).isZero());
    }

    @Test
    void rulesAreCreatedListedChangedAndDeleted() {
        Answer created = byCredentials("", "rule", "create", "department", "it-*", "DEV");
        assertThat(created.status()).as(created.toString()).isZero();
        assertThat(created.out()).contains("department=it-* -> DEV");
        String id = created.out().replaceAll("(?s).*Rule ([0-9a-f]{16}).*", "$1");

        Answer list = byCredentials("", "rule", "list");
        assertThat(list.out())
                .containsPattern("groups +platform +ROLE_ADMIN +setting")
                .containsPattern(id + " +department +it-\\* +DEV +stored");

        Answer updated = byCredentials("", "rule", "update", id, "department", "it", "ROLE_ADMIN");
        assertThat(updated.out()).contains("department=it -> ROLE_ADMIN (its callers are administrators)");
        assertThat(byCredentials("", "rule", "create", "groups", "*", "DEV").err())
                .contains("has no condition");

        assertThat(byCredentials("", "rule", "delete", id).status()).isZero();
        assertThat(byCredentials("", "rule", "delete", id).status()).isOne();
    }

    @Test
    void explainsATokenOfTheIssuer() {
        String token = issuer.token("4711")
                .with("preferred_username", "ann")
                .with("groups", List.of("dev-orders"))
                .text();

        Answer answer = byCredentials(token, "token", "explain", "-");

        assertThat(answer.status()).as(answer.toString()).isZero();
        assertThat(answer.out())
                .contains("Accepted: oidc:ann (4711) (oidc)")
                .contains("source:      " + issuer.url())
                .contains("subject:     4711")
                .contains("rules:       groups=dev-* -> DEV")
                .contains("roles:       DEV")
                .contains("permissions: r dev:*:config/* (DEV)");
    }

    @Test
    void explainsWhyATokenIsRefused() {
        Answer answer = byCredentials(issuer.token("x").with("aud", "other").text(), "token", "explain", "-");

        assertThat(answer.status()).isOne();
        assertThat(answer.out()).contains("Refused: aud: other (expected: [cairn])");
        assertThat(byCredentials("not-a-token", "token", "explain", "-").out())
                .contains("no token of this server or of its issuer");
    }
}
