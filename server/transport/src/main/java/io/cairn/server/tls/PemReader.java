package io.cairn.server.tls;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads certificates and keys in PEM, and says what to do where that cannot be done. */
final class PemReader {

    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");
    private static final List<String> ALGORITHMS = List.of("EC", "RSA", "EdDSA", "DSA");
    /** Version 0, rsaEncryption: what PKCS#8 puts before a key of PKCS#1. */
    private static final byte[] RSA_HEADER = {
        0x02,
        0x01,
        0x00,
        0x30,
        0x0d,
        0x06,
        0x09,
        0x2a,
        (byte) 0x86,
        0x48,
        (byte) 0x86,
        (byte) 0xf7,
        0x0d,
        0x01,
        0x01,
        0x01,
        0x05,
        0x00
    };

    private static final Logger log = LoggerFactory.getLogger(PemReader.class);

    private PemReader() {}

    /**
     * The content of a file.
     *
     * @throws CairnException {@code INVALID_PARAMETER} when it cannot be read
     */
    static byte[] read(TlsSettings.PemFile file) {
        try {
            return Files.readAllBytes(file.path());
        } catch (NoSuchFileException e) {
            throw bad(
                    file,
                    "does not exist (expected: a file in PEM; a path that is not absolute begins at the home"
                            + " folder)",
                    e);
        } catch (AccessDeniedException e) {
            throw bad(
                    file,
                    "may not be read by the user '" + System.getProperty("user.name") + "' that the server runs as",
                    e);
        } catch (IOException e) {
            throw bad(file, "cannot be read: " + e.getMessage(), e);
        }
    }

    /** All certificates of a file, in their order; at least one. */
    static List<X509Certificate> certificates(TlsSettings.PemFile file, byte[] content) {
        List<X509Certificate> found = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Block block : blocks(file, content)) {
                if (block.type.endsWith("CERTIFICATE")) {
                    found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.bytes)));
                }
            }
        } catch (CertificateException e) {
            throw bad(file, "holds a certificate that cannot be read: " + e.getMessage(), e);
        }
        if (found.isEmpty()) {
            throw bad(
                    file,
                    "holds no certificate (expected: -----BEGIN CERTIFICATE-----; a file in DER becomes PEM by"
                            + " 'openssl x509 -inform der -in FILE -out FILE.pem')",
                    null);
        }
        return found;
    }

    /** The key of a file, of PKCS#8 or, for RSA, of PKCS#1. */
    static PrivateKey privateKey(TlsSettings.PemFile file, byte[] content, @Nullable String password) {
        for (Block block : blocks(file, content)) {
            switch (block.type) {
                case "PRIVATE KEY" -> {
                    return key(file, block.bytes);
                }
                case "RSA PRIVATE KEY" -> {
                    return key(file, wrapped(block.bytes));
                }
                case "ENCRYPTED PRIVATE KEY" -> {
                    return key(file, decrypted(file, block.bytes, password));
                }
                default -> {
                    if (block.type.endsWith("PRIVATE KEY")) {
                        throw bad(file, "holds a key of the kind '" + block.type + "'" + convert(), null);
                    }
                }
            }
        }
        throw bad(file, "holds no private key" + convert(), null);
    }

    private static String convert() {
        return " (expected: -----BEGIN PRIVATE KEY-----; others become that by"
                + " 'openssl pkcs8 -topk8 -nocrypt -in KEY -out KEY.pem')";
    }

    private static PrivateKey key(TlsSettings.PemFile file, byte[] pkcs8) {
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (InvalidKeySpecException e) {
                log.trace("{} holds no key of {}", file, algorithm);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("every Java platform has " + algorithm, e);
            }
        }
        throw bad(file, "holds a key that is neither of " + String.join(", ", ALGORITHMS), null);
    }

    private static byte[] decrypted(TlsSettings.PemFile file, byte[] bytes, @Nullable String password) {
        if (password == null) {
            throw bad(
                    file,
                    "is encrypted (expected: its password in " + file.setting() + "-password, or in Nacos's"
                            + " words certPrivateKeyPassword)",
                    null);
        }
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(bytes);
            // Of PBES2, which openssl writes, only the parameters say what is meant by it.
            String algorithm =
                    info.getAlgName().equals("PBES2") ? info.getAlgParameters().toString() : info.getAlgName();
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password.toCharArray())),
                    info.getAlgParameters());
            return info.getKeySpec(cipher).getEncoded();
        } catch (IOException | NoSuchAlgorithmException e) {
            throw bad(file, "is encrypted in a way that this Java does not know: " + e.getMessage() + convert(), e);
        } catch (GeneralSecurityException e) {
            throw bad(file, "cannot be decrypted with the password that is set" + convert(), e);
        }
    }

    private static byte[] wrapped(byte[] pkcs1) {
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        inner.writeBytes(RSA_HEADER);
        writeElement(inner, 0x04, pkcs1);
        ByteArrayOutputStream outer = new ByteArrayOutputStream();
        writeElement(outer, 0x30, inner.toByteArray());
        return outer.toByteArray();
    }

    private static void writeElement(ByteArrayOutputStream out, int tag, byte[] content) {
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else if (content.length < 0x100) {
            out.write(0x81);
            out.write(content.length);
        } else {
            out.write(0x82);
            out.write(content.length >> 8);
            out.write(content.length);
        }
        out.writeBytes(content);
    }

    private record Block(String type, byte[] bytes) {}

    private static List<Block> blocks(TlsSettings.PemFile file, byte[] content) {
        List<Block> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(new String(content, StandardCharsets.ISO_8859_1));
        while (matcher.find()) {
            try {
                blocks.add(new Block(matcher.group(1), Base64.getMimeDecoder().decode(matcher.group(2))));
            } catch (IllegalArgumentException e) {
                throw bad(file, "holds a block '" + matcher.group(1) + "' that is not Base64", e);
            }
        }
        return blocks;
    }

    static CairnException bad(TlsSettings.PemFile file, String what, @Nullable Throwable cause) {
        String text = file + " " + what;
        return cause == null
                ? new CairnException(ErrorCode.INVALID_PARAMETER, text)
                : new CairnException(ErrorCode.INVALID_PARAMETER, text, cause);
    }
}
