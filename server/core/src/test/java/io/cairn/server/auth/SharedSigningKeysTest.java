package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.MemorySecrets;
import io.cairn.server.testing.SettableClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A token of one node is good on the others, also when the keys have changed. */
class SharedSigningKeysTest {

    private static final Duration TTL = Duration.ofHours(5);

    @TempDir
    Path folder;

    private final MemorySecrets database = new MemorySecrets();
    private final SettableClock clock = new SettableClock();

    /** The parts of a server that have to do with tokens. */
    private final class Node {

        private final SecretFolder files;
        private final UserTokens tokens;
        private final KeyRotation rotation;

        Node(String name) {
            files = new SecretFolder(folder.resolve(name));
            SharedSigningKeys keys = new SharedSigningKeys(database, files, clock);
            SigningKeys present = keys.load(clock.millis() + TTL.toMillis());
            tokens = new UserTokens(present, clock, TTL);
            rotation = new KeyRotation(keys, tokens, authenticator(tokens), clock, present);
        }

        private Authenticator authenticator(UserTokens of) {
            LoginThrottle throttle = new LoginThrottle(
                    new LoginThrottle.Limits(9, 9, 9, Duration.ofSeconds(1), Duration.ofSeconds(1)), clock);
            return new Authenticator(new Accounts(null), of, IssuerTokens.NONE, throttle, null, clock, Runnable::run);
        }

        String token() {
            return tokens.issue("anna", "print");
        }

        boolean accepts(String token) {
            return tokens.read(token) instanceof UserTokens.Valid;
        }
    }

    @Test
    void aTokenOfOneNodeIsGoodOnTheOther() throws Exception {
        Node a = new Node("a");
        Node b = new Node("b");

        assertThat(b.accepts(a.token())).isTrue();
        assertThat(a.accepts(b.token())).isTrue();
        assertThat(b.rotation.fingerprint()).isEqualTo(a.rotation.fingerprint()).hasSize(16);
        Path copy = folder.resolve("b/auth/signing-keys");
        assertThat(Files.readString(copy).strip()).isEqualTo(database.stored.get("signing-keys"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                .isEqualTo("rw-------");
    }

    @Test
    void theKeysOfTheFirstNodesFolderAreTakenOverAndTokensOfBothFoldersStayGood() {
        SigningKeys ofA = new FileSigningKeys(new SecretFolder(folder.resolve("a")), null).load(0);
        SigningKeys ofB = new FileSigningKeys(new SecretFolder(folder.resolve("b")), null).load(0);
        String oldOfA = new UserTokens(ofA, clock, TTL).issue("anna", "print");
        String oldOfB = new UserTokens(ofB, clock, TTL).issue("ben", "print");

        Node a = new Node("a");
        Node b = new Node("b");

        assertThat(database.stored.get("signing-keys")).isEqualTo(ofA.text());
        assertThat(a.accepts(oldOfA)).isTrue();
        assertThat(b.accepts(oldOfA)).isTrue();
        assertThat(b.accepts(oldOfB)).isTrue();
        assertThat(a.accepts(b.token())).isTrue();
        Node restarted = new Node("b");
        assertThat(restarted.accepts(oldOfB)).as("after a restart").isTrue();
        assertThat(restarted.rotation.fingerprint()).isEqualTo(a.rotation.fingerprint());

        clock.advance(TTL);
        assertThat(restarted.accepts(oldOfB)).isFalse();
    }

    @Test
    void rotationKeepsTokensAndOtherNodesFollowOnNotification() {
        Node a = new Node("a");
        Node b = new Node("b");
        String before = b.token();
        String fingerprint = b.rotation.fingerprint();

        a.rotation.rotate();
        String after = a.token();
        assertThat(b.accepts(after)).isFalse();
        b.rotation.reload();

        assertThat(b.accepts(after)).isTrue();
        assertThat(a.accepts(before)).isTrue();
        assertThat(b.accepts(before)).isTrue();
        assertThat(b.rotation.fingerprint()).isEqualTo(a.rotation.fingerprint()).isNotEqualTo(fingerprint);
        clock.advance(TTL);
        assertThat(b.accepts(before)).isFalse();
    }

    @Test
    void nodesThatRotateAtOnceKeepTheKeyOfEachOther() throws Exception {
        Node a = new Node("a");
        Node b = new Node("b");
        var threads = Executors.newFixedThreadPool(2);
        try {
            var one = threads.submit(a.rotation::rotate);
            var other = threads.submit(b.rotation::rotate);
            one.get();
            other.get();
        } finally {
            threads.shutdownNow();
        }
        // One of them has the keys of the other rotation as the previous ones.
        String ofA = a.token();
        String ofB = b.token();
        a.rotation.reload();
        b.rotation.reload();

        assertThat(a.accepts(ofA)).isTrue();
        assertThat(a.accepts(ofB)).isTrue();
        assertThat(b.accepts(ofA)).isTrue();
        assertThat(b.accepts(ofB)).isTrue();
    }

    @Test
    void startsWithItsCopyAndRefusesToRotateWhileTheDatabaseIsUnavailable() {
        Node a = new Node("a");
        String token = a.token();
        database.away = true;

        Node restarted = new Node("a");

        assertThat(restarted.accepts(token)).isTrue();
        assertThatThrownBy(restarted.rotation::rotate)
                .isInstanceOfSatisfying(CairnException.class, refusal -> assertThat(refusal.code())
                        .isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(restarted.accepts(token)).isTrue();
    }

    @Test
    void tokensOfAKeyThatWasMadeWithoutTheDatabaseStayGoodOnTheirNode() {
        Node a = new Node("a");
        database.away = true;
        Node b = new Node("b");
        String token = b.token();
        database.away = false;

        b.rotation.reload();

        assertThat(b.accepts(token)).isTrue();
        assertThat(a.accepts(b.token())).isTrue();
    }

    @Test
    void errorDoesNotQuoteAnUnreadableRow() {
        database.stored.put("signing-keys", "secret-text");

        assertThatThrownBy(() -> new Node("a"))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("row 'signing-keys' of cairn_secret")
                .hasMessageNotContaining("secret-text");
    }

    @Test
    void aSecretOfTheSettingsWinsOverTheFileAndIsNotRotated() {
        SecretFolder files = new SecretFolder(folder.resolve("a"));
        SigningKeys made = new FileSigningKeys(files, null).load(0);
        String old = new UserTokens(made, clock, TTL).issue("anna", "print");
        byte[] secret = new byte[SigningKeys.MIN_BYTES];
        FileSigningKeys configured = new FileSigningKeys(files, secret);

        UserTokens tokens = new UserTokens(configured.load(clock.millis() + TTL.toMillis()), clock, TTL);

        assertThat(tokens.read(old)).isInstanceOf(UserTokens.Valid.class);
        assertThat(tokens.read(new UserTokens(SigningKeys.of(secret), clock, TTL).issue("ben", "print")))
                .isInstanceOf(UserTokens.Valid.class);
        assertThatThrownBy(() -> configured.rotate(0))
                .isInstanceOfSatisfying(CairnException.class, refusal -> assertThat(refusal.code())
                        .isEqualTo(ErrorCode.UNSUPPORTED));
    }
}
