package io.cairn.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * An OpenID Connect issuer on loopback: its description, its keys, tokens for client credentials, and the login of a person, who
 * needs no password. Tests change its keys, let it be away, and make tokens that it would never sign. Thread-safe.
 */
public final class TestIssuer implements AutoCloseable {

    public static final String AUDIENCE = "cairn";

    /** The key pairs of all issuers of this JVM, because a new one takes up to a second. */
    private static final List<KeyPair> PAIRS = new ArrayList<>();

    /** Of every login of a person. */
    private static final String ACCESS_TOKEN = "opaque";

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
    /** The logins whose code is not exchanged yet, by the code. */
    private final Map<String, Map<String, String>> logins = new ConcurrentHashMap<>();

    private final AtomicInteger codes = new AtomicInteger();
    private final List<Map<String, String>> logouts = new CopyOnWriteArrayList<>();
    private volatile UnaryOperator<Token> person = token -> token;
    private volatile String subject = "person";
    private volatile @Nullable Map<String, Object> userInfo;
    private final AtomicInteger userInfoReads = new AtomicInteger();
    private volatile @Nullable String secret;
    private volatile boolean isAsking;

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
            opened.createContext("/authorize", this::authorize);
            opened.createContext("/userinfo", exchange -> {
                userInfoReads.incrementAndGet();
                boolean isKnown = ("Bearer " + ACCESS_TOKEN)
                        .equals(exchange.getRequestHeaders().getFirst("Authorization"));
                Map<String, Object> info = userInfo;
                answer(
                        exchange,
                        isKnown ? 200 : 401,
                        !isKnown ? Map.of("error", "invalid_token") : info == null ? Map.of("sub", subject) : info);
            });
            opened.createContext("/end-session", exchange -> {
                Map<String, String> query = parameters(exchange.getRequestURI().getRawQuery());
                logouts.add(query);
                redirect(exchange, query.get("post_logout_redirect_uri"));
            });
            opened.createContext("/token", exchange -> {
                Map<String, String> form =
                        parameters(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                if ("authorization_code".equals(form.get("grant_type"))) {
                    exchangeCode(exchange, form);
                    return;
                }
                String wanted = secret;
                if (wanted != null && !wanted.equals(client(exchange, form)[1])) {
                    answer(exchange, 401, Map.of("error", "invalid_client"));
                    return;
                }
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

    /** Sends the browser back with a code; first shows a page with a link to this, if it {@linkplain #ask asks}. */
    private void authorize(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getRawQuery();
        Map<String, String> asked = parameters(query);
        if (isAsking && !asked.containsKey("allowed")) {
            String page = "<!doctype html><link rel=icon href=data:,><title>Firm</title><h1>The firm's accounts</h1><p>"
                    + asked.get("client_id")
                    + " wants to know who you are.</p><a href=\"/authorize?" + query.replace("&", "&amp;")
                    + "&amp;allowed=1\">Continue as " + subject + "</a>";
            send(exchange, 200, "text/html;charset=utf-8", page);
            return;
        }
        String code = "code-" + codes.incrementAndGet();
        logins.put(code, asked);
        redirect(
                exchange,
                asked.get("redirect_uri") + "?code=" + code + "&state="
                        + URLEncoder.encode(asked.getOrDefault("state", ""), StandardCharsets.UTF_8));
    }

    private void exchangeCode(HttpExchange exchange, Map<String, String> form) throws IOException {
        Map<String, String> login = logins.remove(form.getOrDefault("code", ""));
        String[] client = client(exchange, form);
        String wanted = secret;
        if (login == null
                || !login.getOrDefault("redirect_uri", "").equals(form.get("redirect_uri"))
                || !login.getOrDefault("client_id", "").equals(client[0])
                || wanted != null && !wanted.equals(client[1])
                || !"S256".equals(login.get("code_challenge_method"))
                || !challenge(form.getOrDefault("code_verifier", "")).equals(login.get("code_challenge"))) {
            answer(exchange, 400, Map.of("error", "invalid_grant"));
            return;
        }
        tokensIssued.incrementAndGet();
        Token idToken = token(subject)
                .with("aud", client[0])
                .with("nonce", login.getOrDefault("nonce", ""))
                .with("typ", "ID");
        answer(
                exchange,
                200,
                Map.of(
                        "access_token",
                        ACCESS_TOKEN,
                        "token_type",
                        "Bearer",
                        "id_token",
                        person.apply(idToken).text()));
    }

    /** Its id, and its secret or an empty text. */
    private static String[] client(HttpExchange exchange, Map<String, String> form) {
        String basic = exchange.getRequestHeaders().getFirst("Authorization");
        if (basic == null) {
            return new String[] {form.getOrDefault("client_id", ""), form.getOrDefault("client_secret", "")};
        }
        String pair =
                new String(Base64.getDecoder().decode(basic.substring("Basic ".length())), StandardCharsets.UTF_8);
        return Stream.of(pair.split(":", 2))
                .map(part -> URLDecoder.decode(part, StandardCharsets.UTF_8))
                .toArray(String[]::new);
    }

    private static String challenge(String verifier) {
        try {
            return BASE64.encodeToString(
                    MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> parameters(@Nullable String encoded) {
        Map<String, String> all = new LinkedHashMap<>();
        for (String pair : encoded == null ? new String[0] : encoded.split("&")) {
            String[] parts = pair.split("=", 2);
            all.put(parts[0], parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return all;
    }

    private static void redirect(HttpExchange exchange, @Nullable String location) throws IOException {
        exchange.getResponseHeaders().set("Location", location == null ? "/" : location);
        exchange.sendResponseHeaders(302, -1);
        exchange.close();
    }

    /**
     * The person that logs in from now on.
     *
     * @param change of the token about the login
     */
    public void logsIn(String subject, UnaryOperator<Token> change) {
        this.subject = subject;
        this.person = change;
        this.userInfo = null;
    }

    /** The claims that the issuer gives about the person until the next {@link #logsIn}, for the access token of a login. */
    public void userInfo(Map<String, Object> claims) {
        userInfo = Map.copyOf(claims);
    }

    /** How often it was asked about a person. */
    public int userInfoReads() {
        return userInfoReads.get();
    }

    /** The secret of every client; null for public clients. */
    public void secret(@Nullable String secret) {
        this.secret = secret;
    }

    /** Shows a page before it sends a browser back. */
    public void ask() {
        isAsking = true;
    }

    /** The parameters of the logouts so far. */
    public List<Map<String, String>> logouts() {
        return logouts;
    }

    private static void answer(HttpExchange exchange, Map<String, Object> body) throws IOException {
        answer(exchange, 200, body);
    }

    private static void answer(HttpExchange exchange, int status, Map<String, Object> body) throws IOException {
        send(exchange, status, "application/json", json(body));
    }

    private static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private Map<String, Object> description() {
        return Map.of(
                "issuer",
                url(),
                "jwks_uri",
                url() + "/keys",
                "token_endpoint",
                url() + "/token",
                "authorization_endpoint",
                url() + "/authorize",
                "end_session_endpoint",
                url() + "/end-session",
                "userinfo_endpoint",
                url() + "/userinfo");
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
