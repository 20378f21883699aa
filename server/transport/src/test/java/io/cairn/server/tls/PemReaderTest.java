package io.cairn.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The forms in which keys are handed out. */
class PemReaderTest {

    private static final TlsSettings.PemFile FILE =
            new TlsSettings.PemFile("cairn.tls.private-key", Path.of("server.key"));

    private static KeyPair rsa;

    /** One of RSA is enough for all tests: it takes a second to find. */
    @BeforeAll
    static void findRsaKeys() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        rsa = generator.generateKeyPair();
    }

    private static KeyPair keys(String algorithm) throws GeneralSecurityException {
        return algorithm.equals("RSA")
                ? rsa
                : KeyPairGenerator.getInstance(algorithm).generateKeyPair();
    }

    private static byte[] pem(String kind, byte[] der) {
        return ("-----BEGIN " + kind + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + kind
                        + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA", "Ed25519"})
    void keysOfPkcs8(String algorithm) throws Exception {
        KeyPair pair = keys(algorithm);

        assertThat(PemReader.privateKey(
                        FILE, pem("PRIVATE KEY", pair.getPrivate().getEncoded()), null))
                .isEqualTo(pair.getPrivate());
    }

    @Test
    void anRsaKeyOfPkcs1() throws Exception {
        byte[] pkcs8 = rsa.getPrivate().getEncoded();
        // Behind two sequences, the version, the algorithm and the head of the octet string.
        byte[] pkcs1 = Arrays.copyOfRange(pkcs8, 26, pkcs8.length);

        assertThat(PemReader.privateKey(FILE, pem("RSA PRIVATE KEY", pkcs1), null))
                .isEqualTo(rsa.getPrivate());
    }

    /** As {@code openssl ecparam -genkey} has written it. */
    @Test
    void anEllipticCurveKeyOfSec1() throws Exception {
        assertThat(PemReader.privateKey(FILE, resource("sec1.key"), null).getAlgorithm())
                .isEqualTo("EC");
    }

    /** As {@code openssl pkcs8 -topk8} has written them: by default, and with what older ones had as default. */
    @ParameterizedTest
    @ValueSource(strings = {"aes256.key", "aes128-sha1.key", "aes256-sha512.key", "des3.key"})
    void encryptedKeysOfOpenssl(String name) throws Exception {
        byte[] pem = resource(name);

        assertThat(PemReader.privateKey(FILE, pem, "a password"))
                .isEqualTo(PemReader.privateKey(FILE, resource("plain.key"), null));
        assertThatThrownBy(() -> PemReader.privateKey(FILE, pem, "another"))
                .isInstanceOf(CairnException.class)
                .hasMessageStartingWith(
                        "cairn.tls.private-key: server.key cannot be decrypted with the password that is set (expected");
        assertThatThrownBy(() -> PemReader.privateKey(FILE, pem, null))
                .isInstanceOf(CairnException.class)
                .hasMessageStartingWith("cairn.tls.private-key: server.key is encrypted (expected: its password in"
                        + " cairn.tls.private-key-password");
    }

    @Test
    void aCipherThatJavaDoesNotKnowIsNoMatterOfThePassword() throws Exception {
        byte[] pem = resource("des3-v2.key");

        assertThatThrownBy(() -> PemReader.privateKey(FILE, pem, "a password"))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("in a way that this Java does not know")
                .hasMessageContaining("openssl pkcs8 -topk8 -nocrypt");
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = PemReaderTest.class.getResourceAsStream("/tls/" + name)) {
            return in.readAllBytes();
        }
    }

    @Test
    void reportsAnUnsupportedKeyFormatWithTheRemedy() {
        assertThatThrownBy(() -> PemReader.privateKey(
                        FILE, pem("EC PRIVATE KEY", HexFormat.of().parseHex("3003020100")), null))
                .isInstanceOf(CairnException.class)
                .hasMessage(
                        "cairn.tls.private-key: server.key holds a private key that cannot be read: Key spec version must"
                                + " be 1 (expected: -----BEGIN PRIVATE KEY-----; others become that by"
                                + " 'openssl pkcs8 -topk8 -nocrypt -in KEY -out KEY.pem')");
        assertThatThrownBy(() -> PemReader.privateKey(FILE, "nothing".getBytes(StandardCharsets.US_ASCII), null))
                .hasMessageStartingWith("cairn.tls.private-key: server.key holds no private key (expected: ");
        assertThatThrownBy(() -> PemReader.privateKey(FILE, pem("PRIVATE KEY", new byte[] {1, 2, 3}), null))
                .hasMessageStartingWith("cairn.tls.private-key: server.key holds a private key that cannot be read: ");
    }
}
