package io.cairn.server.auth.issuer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.auth.SigningKeys;
import io.cairn.server.testing.SettableClock;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class CookieSealTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final SettableClock clock = new SettableClock();
    private final AtomicReference<SigningKeys> keys = new AtomicReference<>(SigningKeys.create(new SecureRandom()));
    private final CookieSeal seal = new CookieSeal(keys::get, clock);

    private String sealed(String text) {
        String sealed = seal.seal("a", Map.of("text", text), MINUTE);
        assertThat(sealed).isNotNull();
        return sealed;
    }

    @Test
    void opensWhatItHasSealedUntilItEnds() {
        String sealed = sealed("secret");

        assertThat(sealed).doesNotContain("secret");
        assertThat(seal.open("a", sealed)).containsEntry("text", "secret");
        clock.advance(MINUTE);
        assertThat(seal.open("a", sealed)).isNull();
    }

    @Test
    void opensForNoOtherPurpose() {
        assertThat(seal.open("b", sealed("secret"))).isNull();
    }

    @Test
    void opensWithTheFormerKeyAsLongAsItIsAccepted() {
        String sealed = sealed("secret");
        keys.set(keys.get().rotated(new SecureRandom(), clock.millis() + 30_000));
        assertThat(seal.open("a", sealed)).isNotNull();

        clock.advance(Duration.ofSeconds(30));

        assertThat(seal.open("a", sealed)).isNull();
    }

    @Test
    void opensNothingElse() {
        String sealed = sealed("secret");
        keys.set(SigningKeys.create(new SecureRandom()));

        assertThat(seal.open("a", sealed)).isNull();
        assertThat(seal.open("a", null)).isNull();
        assertThat(seal.open("a", "")).isNull();
        assertThat(seal.open("a", "x.y.z")).isNull();
        assertThat(seal.open("a", "x".repeat(100_000))).isNull();
    }

    @Test
    void leavesOutWhatDoesNotFitIntoACookie() {
        byte[] random = new byte[4_000];
        new SecureRandom().nextBytes(random);

        assertThat(seal.seal("a", Map.of("text", java.util.HexFormat.of().formatHex(random)), MINUTE))
                .isNull();
    }
}
