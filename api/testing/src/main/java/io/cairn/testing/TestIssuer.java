package io.cairn.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * An OpenID Connect issuer on loopback: its description, its keys, and tokens for client credentials. Tests change its keys, let it
 * be away, and make tokens that it would never sign. Thread-safe.
 */
public final class TestIssuer implements AutoCloseable {

    public static final String AUDIENCE = "cairn";

    /** The key pairs of all issuers of this JVM, because a new one takes up to a second. */
    private static final List<KeyPair> PAIRS = new ArrayList<>();

    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    private final int port = ReservedPorts.one();
    private final Map<String, KeyPair> published = new ConcurrentHashMap<>();
    private final AtomicInteger rotations = new AtomicInteger(1);
    private final AtomicInteger keyReads = new AtomicInteger();
    private final AtomicInteger tokensIssued = new AtomicInteger();
    private volatile Key key;
    private volatile @Nullable HttpServer server;
    private volatile Map<String, Object> clientClaims = Map.of();
    private volatile Duration clientTimeToLive = Duration.ofHours(1);

    private record Key(String id, KeyPair pair) {}

    private TestIssuer() {
        key = key(1);
        published.put(key.id, key.pair);
    }

    public static TestIssuer start() {
        TestIssuer issuer = new TestIssuer();
        issuer.open();
        return issuer;
    }

    /** The first pair is never published. */
    private static Key key(int number) {
        try {
            synchronized (PAIRS) {
                while (PAIRS.size() <= number) {
                    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
                    generator.initialize(2048);
                    PAIRS.add(generator.generateKeyPair());
                }
                return new Key("key-" + number, PAIRS.get(number));
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same issuer, after {@link #away}. */
    public void open() {
        try {
            HttpServer opened = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
            opened.createContext("/.well-known/openid-configuration", exchange -> answer(exchange, description()));
            opened.createContext("/keys", exchange -> {
                keyReads.incrementAndGet();
                answer(exchange, keys());
            });
            opened.createContext("/token", exchange -> {
                exchange.getRequestBody().readAllBytes();
                tokensIssued.incrementAndGet();
                answer(
                        exchange,
                        Map.of(
                                "access_token",
                                token("client")
                                        .with(clientClaims)
                                        .ends(clientTimeToLive)
                                        .text(),
                                "token_type",
                                "Bearer",
                                "expires_in",
                                clientTimeToLive.toSeconds()));
            });
            opened.start();
            server = opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void answer(HttpExchange exchange, Map<String, Object> body) throws IOException {
        byte[] bytes = json(body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private Map<String, Object> description() {
        return Map.of("issuer", url(), "jwks_uri", url() + "/keys", "token_endpoint", url() + "/token");
    }

    private Map<String, Object> keys() {
        return Map.of(
                "keys",
                published.entrySet().stream()
                        .map(each -> {
                            RSAPublicKey rsa = (RSAPublicKey) each.getValue().getPublic();
                            return Map.of(
                                    "kty",
                                    "RSA",
                                    "use",
                                    "sig",
                                    "kid",
                                    each.getKey(),
                                    "n",
                                    number(rsa.getModulus()),
                                    "e",
                                    number(rsa.getPublicExponent()));
                        })
                        .toList());
    }

    private static String number(BigInteger value) {
        byte[] bytes = value.toByteArray();
        int sign = bytes[0] == 0 ? 1 : 0;
        return BASE64.encodeToString(java.util.Arrays.copyOfRange(bytes, sign, bytes.length));
    }

    public String url() {
        return "http://127.0.0.1:" + port;
    }

    /** How often the keys were read. */
    public int keyReads() {
        return keyReads.get();
    }

    /** How many tokens clients have got with their credentials. */
    public int tokensIssued() {
        return tokensIssued.get();
    }

    /** Claims and validity of the tokens that clients get with their credentials. */
    public void issue(Duration timeToLive, Map<String, Object> claims) {
        clientTimeToLive = timeToLive;
        clientClaims = Map.copyOf(claims);
    }

    /** Does not answer until {@link #open}. */
    public void away() {
        HttpServer opened = server;
        if (opened != null) {
            opened.stop(0);
        }
    }

    /** Signs with another key from now on, and publishes it; the former keys stay published. */
    public void rotate() {
        Key next = key(rotations.incrementAndGet());
        published.put(next.id, next.pair);
        key = next;
    }

    /** Publishes the present key alone. */
    public void withdrawFormerKeys() {
        published.keySet().retainAll(java.util.Set.of(key.id));
    }

    @Override
    public void close() {
        away();
    }

    /** A token for that subject, valid for an hour and for {@link #AUDIENCE}. */
    public Token token(String subject) {
        return new Token(subject);
    }

    /** A token in the making. Not thread-safe. */
    public final class Token {

        private final Map<String, Object> header = new LinkedHashMap<>();
        private final Map<String, Object> claims = new LinkedHashMap<>();

        private Token(String subject) {
            header.put("alg", "RS256");
            header.put("typ", "JWT");
            header.put("kid", key.id);
            claims.put("iss", url());
            claims.put("aud", AUDIENCE);
            claims.put("sub", subject);
            claims.put("iat", Instant.now().getEpochSecond());
            ends(Duration.ofHours(1));
        }

        public Token ends(Duration fromNow) {
            return with("exp", Instant.now().plus(fromNow).getEpochSecond());
        }

        public Token with(String claim, Object value) {
            claims.put(claim, value);
            return this;
        }

        public Token with(Map<String, Object> more) {
            claims.putAll(more);
            return this;
        }

        public Token without(String claim) {
            claims.remove(claim);
            return this;
        }

        public Token header(String name, Object value) {
            header.put(name, value);
            return this;
        }

        /** Signed with the present key. */
        public String text() {
            return signed(key.pair);
        }

        /** Signed with a key that the issuer does not publish, under the id of the one that it does. */
        public String forged() {
            return signed(key(0).pair);
        }

        private String signed(KeyPair pair) {
            try {
                Signature signature = Signature.getInstance("SHA256withRSA");
                signature.initSign(pair.getPrivate());
                signature.update(unsigned().getBytes(StandardCharsets.US_ASCII));
                return unsigned() + '.' + BASE64.encodeToString(signature.sign());
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        /** With {@code alg=none} and an empty signature. */
        public String withoutSignature() {
            header.put("alg", "none");
            return unsigned() + '.';
        }

        /** With a symmetric algorithm whose secret is the published key, which everyone knows. */
        public String signedWithPublicKey() {
            header.put("alg", "HS256");
            try {
                Mac mac = Mac.getInstance("HmacSHA256");
                mac.init(new SecretKeySpec(key.pair.getPublic().getEncoded(), "HmacSHA256"));
                return unsigned()
                        + '.'
                        + BASE64.encodeToString(mac.doFinal(unsigned().getBytes(StandardCharsets.US_ASCII)));
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }

        private String unsigned() {
            return BASE64.encodeToString(json(header).getBytes(StandardCharsets.UTF_8))
                    + '.'
                    + BASE64.encodeToString(json(claims).getBytes(StandardCharsets.UTF_8));
        }
    }

    private static String json(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(each -> json(each.getKey()) + ':' + json(each.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof Collection<?> many) {
            return many.stream().map(TestIssuer::json).collect(Collectors.joining(",", "[", "]"));
        }
        return value instanceof Number || value instanceof Boolean
                ? value.toString()
                : '"' + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
