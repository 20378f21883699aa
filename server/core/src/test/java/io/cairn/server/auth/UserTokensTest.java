package io.cairn.server.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserTokensTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
    private static final byte[] SECRET = "one secret of thirty-two bytes..".getBytes(StandardCharsets.UTF_8);
    private static final byte[] OTHER = "another secret of thirty-two by.".getBytes(StandardCharsets.UTF_8);
    private static final Duration TTL = Duration.ofHours(5);
    private static final long SEED = Long.getLong("cairn.seed", System.nanoTime());

    private final UserTokens tokens = at(NOW, SigningKeys.of(SECRET));

    private static UserTokens at(Instant now, SigningKeys keys) {
        return new UserTokens(keys, Clock.fixed(now, ZoneOffset.UTC), TTL);
    }

    private static Denial refusal(UserTokens.Reading reading) {
        assertThat(reading).isInstanceOf(UserTokens.Refused.class);
        return ((UserTokens.Refused) reading).why();
    }

    @Test
    void issuedTokenIsValidUntilItsEnd() {
        String token = tokens.issue("anna", "f1");

        assertThat(tokens.read(token))
                .isEqualTo(new UserTokens.Valid("anna", NOW.plus(TTL).toEpochMilli(), "f1"));
        assertThat(at(NOW.plus(TTL).minusMillis(1), SigningKeys.of(SECRET)).read(token))
                .isInstanceOf(UserTokens.Valid.class);
        assertThat(refusal(at(NOW.plus(TTL), SigningKeys.of(SECRET)).read(token)))
                .isEqualTo(Denial.EXPIRED);
    }

    @Test
    void aTokenThatNacosHasMadeIsBelieved() throws Exception {
        assertThat(tokens.read(signed(SECRET, JWSAlgorithm.HS256, "{\"sub\":\"nacos\",\"exp\":1900000000}")))
                .isEqualTo(new UserTokens.Valid("nacos", 1_900_000_000_000L, null));
    }

    @Test
    void theAlgorithmFollowsFromTheKeyAndNotFromTheToken() throws Exception {
        byte[] longKey = new byte[64];
        new Random(1).nextBytes(longKey);
        String claims = "{\"sub\":\"nacos\",\"exp\":1900000000}";

        assertThat(refusal(at(NOW, SigningKeys.of(longKey)).read(signed(longKey, JWSAlgorithm.HS256, claims))))
                .isEqualTo(Denial.BAD_SIGNATURE);
        assertThat(at(NOW, SigningKeys.of(longKey)).read(signed(longKey, JWSAlgorithm.HS512, claims)))
                .isInstanceOf(UserTokens.Valid.class);
        String unsigned = base64("{\"alg\":\"none\"}") + '.' + base64(claims) + '.';
        assertThat(refusal(tokens.read(unsigned))).isEqualTo(Denial.BAD_TOKEN);
        String publicKey = base64("{\"alg\":\"RS256\"}") + '.' + base64(claims) + '.' + base64("x");
        assertThat(refusal(tokens.read(publicKey))).isEqualTo(Denial.BAD_SIGNATURE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"sub\":\"nacos\"}",
                "{\"exp\":1900000000}",
                "{\"sub\":\"\",\"exp\":1900000000}",
                "{\"sub\":7,\"exp\":1900000000}",
                "{\"sub\":\"nacos\",\"exp\":\"1900000000\"}",
                "{\"sub\":\"nacos\",\"exp\":null}",
                "{\"sub\":\"nacos\",\"exp\":1e400}",
                "{\"sub\":\"nacos\",\"exp\":1900000000.5}",
                "{\"sub\":\"nacos\",\"exp\":-1}",
                "{\"sub\":\"nacos\",\"exp\":0}",
                "{\"sub\":\"nacos\",\"exp\":9223372036854775807}",
                "{\"sub\":\"nacos\",\"exp\":99999999999999999999}",
                "{\"sub\":\"nacos\",\"exp\":1900000000,\"pwd\":7}",
                "[]",
                "nacos",
            })
    void validSignatureWithInvalidClaimsIsRefused(String claims) throws Exception {
        assertThat(refusal(tokens.read(signed(SECRET, JWSAlgorithm.HS256, claims))))
                .isEqualTo(Denial.BAD_TOKEN);
    }

    @Test
    void theKeyBeforeIsBelievedAsLongAsItsTokensMayLive() {
        String old = tokens.issue("anna", "f1");
        Instant until = NOW.plus(TTL);
        SigningKeys rotated = SigningKeys.of(SECRET).replacedBy(OTHER, until.toEpochMilli());

        assertThat(at(NOW, rotated).read(old)).isInstanceOf(UserTokens.Valid.class);
        assertThat(at(NOW, rotated).read(at(NOW, rotated).issue("ben", "f"))).isInstanceOf(UserTokens.Valid.class);
        assertThat(refusal(tokens.read(at(NOW, rotated).issue("ben", "f")))).isEqualTo(Denial.BAD_SIGNATURE);
        assertThat(refusal(at(until, rotated).read(old))).isEqualTo(Denial.BAD_SIGNATURE);
        assertThat(refusal(at(NOW, SigningKeys.of(OTHER)).read(old))).isEqualTo(Denial.BAD_SIGNATURE);
    }

    @Test
    void refusesAlteredTokens() {
        Random random = new Random(SEED);
        String token = tokens.issue("anna", "f1");
        for (int i = 0; i < 20_000; i++) {
            StringBuilder changed = new StringBuilder(token);
            for (int changes = 1 + random.nextInt(3); changes > 0 && changed.length() > 0; changes--) {
                int at = random.nextInt(changed.length());
                switch (random.nextInt(4)) {
                    case 0 -> changed.setCharAt(at, (char) random.nextInt(256));
                    case 1 -> changed.deleteCharAt(at);
                    case 2 -> changed.insert(at, "eyJ.".charAt(random.nextInt(4)));
                    default -> changed.setLength(Math.max(1, at));
                }
            }
            String forged = changed.toString();
            if (!forged.equals(token)) {
                assertThat(tokens.read(forged)).as("seed %d: %s", SEED, forged).isInstanceOf(UserTokens.Refused.class);
            }
        }
    }

    /** Parts of good tokens, other headers, other claims, signatures of other keys and algorithms, in all mixtures. */
    @Test
    void refusesTokensMixedFromPartsOfOthers() throws Exception {
        String good = tokens.issue("anna", "f1");
        String other = tokens.issue("ben", "f2");
        String claims = "{\"sub\":\"nacos\",\"exp\":1900000000}";
        byte[] longer = Arrays.copyOf(SECRET, 64);
        List<String> signed = List.of(
                good,
                other,
                signed(OTHER, JWSAlgorithm.HS256, claims),
                signed(longer, JWSAlgorithm.HS512, claims),
                signed(longer, JWSAlgorithm.HS384, claims));
        Set<String> headers = new LinkedHashSet<>();
        for (String algorithm :
                List.of("HS256", "HS384", "HS512", "none", "None", "NONE", "hs256", "RS256", "ES256", "")) {
            for (String more : List.of(
                    "",
                    ",\"typ\":\"JWT\"",
                    ",\"kid\":\"../../dev/null\"",
                    ",\"jku\":\"http://127.0.0.1:1/\"",
                    ",\"jwk\":{\"kty\":\"oct\",\"k\":\"AAAA\"}",
                    ",\"crit\":[\"b64\"],\"b64\":false",
                    ",\"zip\":\"DEF\"",
                    ",\"alg\":\"none\"")) {
                headers.add(base64("{\"alg\":\"" + algorithm + "\"" + more + "}"));
            }
        }
        Set<String> payloads = new LinkedHashSet<>(List.of(base64(claims), base64("{}"), ""));
        Set<String> signatures = new LinkedHashSet<>(List.of("", base64("x"), base64("\u0000".repeat(32))));
        for (String token : signed) {
            String[] parts = token.split("\\.");
            headers.add(parts[0]);
            payloads.add(parts[1]);
            signatures.add(parts[2]);
            signatures.add(parts[2] + "=");
            signatures.add(parts[2].substring(0, parts[2].length() - 2));
        }
        for (String header : headers) {
            for (String payload : payloads) {
                for (String signature : signatures) {
                    String token = header + '.' + payload + '.' + signature;
                    if (!token.equals(good) && !token.equals(other)) {
                        assertThat(tokens.read(token)).as(token).isInstanceOf(UserTokens.Refused.class);
                    }
                }
            }
        }
        for (String spelled : List.of(
                ' ' + good,
                good + ' ',
                good + '\n',
                good + ".",
                '.' + good,
                good + '.' + good,
                good.replace('.', ','),
                good + "\u0000")) {
            assertThat(tokens.read(spelled)).as(spelled).isInstanceOf(UserTokens.Refused.class);
        }
        assertThat(tokens.read(good)).isInstanceOf(UserTokens.Valid.class);
        assertThat(tokens.read(other)).isInstanceOf(UserTokens.Valid.class);
    }

    @Test
    void refusesGarbage() {
        Random random = new Random(SEED);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            assertThat(tokens.read(text)).as("seed %d", SEED).isInstanceOf(UserTokens.Refused.class);
            assertThat(MachineToken.read(text)).isNull();
        }
        assertThat(refusal(tokens.read("a".repeat(1_000_000)))).isEqualTo(Denial.BAD_TOKEN);
        String deep = base64("{\"alg\":\"HS256\"}") + '.' + base64("[".repeat(2000)) + ".x";
        assertThat(refusal(tokens.read(deep))).isIn(Denial.BAD_TOKEN, Denial.BAD_SIGNATURE);
    }

    private static String signed(byte[] secret, JWSAlgorithm algorithm, String claims) throws Exception {
        JWSObject token = new JWSObject(
                new JWSHeader.Builder(algorithm).type(JOSEObjectType.JWT).build(), new Payload(claims));
        token.sign(new MACSigner(secret));
        return token.serialize();
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void noTokenOutlivesItsKey() throws Exception {
        String late = signed(SECRET, JWSAlgorithm.HS256, "{\"sub\":\"nacos\",\"exp\":1900000000}");
        long until = NOW.plus(TTL).toEpochMilli();
        SigningKeys rotated = SigningKeys.of(SECRET).replacedBy(OTHER, until);

        assertThat(at(NOW, rotated).read(late)).isEqualTo(new UserTokens.Valid("nacos", until, null));
    }
}
