package io.cairn.server.auth.issuer;

import com.nimbusds.jose.JOSEObject;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.util.Base64URL;
import io.cairn.server.attention.Finding;
import io.cairn.server.auth.Claims;
import io.cairn.server.auth.IssuedLogin;
import io.cairn.server.auth.IssuerIdentity;
import io.cairn.server.auth.IssuerTokens;
import io.cairn.server.auth.RoleRule;
import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timer;
import java.text.ParseException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Identifies callers by the access tokens of one OpenID Connect issuer. Thread-safe; never blocks. */
public final class OidcIssuer implements IssuerTokens {

    private static final Logger log = LoggerFactory.getLogger(OidcIssuer.class);

    /** The prefix of the names of its callers. */
    private static final String SOURCE = "oidc:";
    /** Tokens with many groups are long. */
    private static final int MAX_LENGTH = 64 * 1024;

    private static final int MAX_SUBJECT = 255;
    /** Requests that wait for keys at a time; others are refused at once. */
    private static final int MAX_WAITING = 10_000;

    private static final int MAX_SHOWN = 100;
    /** Other names are not shown: the issuer lets its users choose them, and the subject is the identity. */
    private static final Pattern PLAIN_NAME = Pattern.compile("[\\p{L}\\p{N}._@+-]{1,40}");

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    /** Values of {@code typ} in tokens of an issuer that are not for requests. */
    private static final Set<String> OTHER_TOKENS = Set.of("id", "refresh", "offline", "logout");

    private final IssuerSettings settings;
    /** Of the settings. */
    private final List<RoleRule> rules;

    private final IssuerHttp http;
    private final IssuerFindings misfits;
    private final KeyFetch fetch;
    private final IssuerKeys keys;
    private final MeterRegistry meters;
    private final Counter accepted;
    private final Clock clock;
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile List<RoleRule> storedRules = List.of();
    private volatile Runnable withdrawal = () -> {};

    /** Why a token is refused; the words are values of a tag. */
    enum Reason {
        ISSUER,
        ALGORITHM,
        KEY,
        SIGNATURE,
        AUDIENCE,
        EXPIRED,
        NOT_YET_VALID,
        TYPE,
        NONCE,
        SUBJECT
    }

    /** @throws IllegalArgumentException for certificates that cannot be used */
    public OidcIssuer(IssuerSettings settings, Timer timer, Clock clock, LongSupplier nanoTime, MeterRegistry meters) {
        this.settings = settings;
        this.rules = settings.rules().stream().map(RoleRule::parse).toList();
        this.http = new IssuerHttp(settings.trusted(), clock);
        this.misfits = new IssuerFindings(settings, rules, http, clock);
        this.fetch = new KeyFetch(settings.issuer(), http);
        this.keys = new IssuerKeys(
                settings.issuer(), fetch::keys, settings.keyLifetime(), this::notifyWithdrawal, timer, clock, nanoTime);
        this.meters = meters;
        this.accepted = Counter.builder(MeterNames.LOGINS).tag("source", "oidc").register(meters);
        this.clock = clock;
        for (Reason reason : Reason.values()) {
            refused(word(reason));
        }
    }

    /** Asks the issuer for its keys; the server does not wait for them. */
    public void start() {
        keys.start();
    }

    String name() {
        return settings.issuer();
    }

    IssuerHttp http() {
        return http;
    }

    /** As last read; null before the first answer. */
    KeyFetch.@Nullable Description description() {
        return fetch.description();
    }

    long skewMillis() {
        return settings.clockSkew().toMillis();
    }

    /** For a login that needs the description; at most once in 30 s. */
    void askAgain() {
        keys.askForUnknown();
    }

    @Override
    public void onWithdrawal(Runnable listener) {
        withdrawal = listener;
    }

    private void notifyWithdrawal() {
        withdrawal.run();
    }

    @Override
    public int maxLength() {
        return MAX_LENGTH;
    }

    @Override
    public @Nullable Reading read(String token) {
        JWSObject parsed = parse(token);
        if (parsed == null) {
            return unsigned(token);
        }
        Claims claims = claims(parsed.getPayload());
        if (claims == null || claims.all().get("iss") == null) {
            return null;
        }
        String issuer = claims.text("iss");
        if (!settings.issuer().equals(issuer)) {
            return refusal(Reason.ISSUER, "iss", claims.all().get("iss"), settings.issuer());
        }
        Refused unproved = unproved(parsed);
        if (unproved != null) {
            return unproved;
        }
        Reading reading = ofIssuer(claims, settings.audiences());
        return reading instanceof Issued && isOther(parsed.getHeader(), claims)
                ? refusal(Reason.TYPE, "typ", claims.all().get("typ"), "an access token", name(claims))
                : reading;
    }

    /**
     * Reads the token about a login of a person.
     *
     * @param clientId of this server at the issuer: the token must be for it alone, or name it as the party that asked
     * @param nonce that the server has sent with the login
     * @param userInfo claims that count where the token lacks them
     */
    Reading readLogin(String token, String clientId, String nonce, Map<String, Object> userInfo) {
        JWSObject parsed = parse(token);
        Claims claims = parsed == null ? null : claims(parsed.getPayload());
        if (parsed == null || claims == null) {
            return refusal(Reason.TYPE, "id_token", "unreadable", "a signed token");
        }
        if (!settings.issuer().equals(claims.text("iss"))) {
            return refusal(Reason.ISSUER, "iss", claims.all().get("iss"), settings.issuer());
        }
        Refused refused = unproved(parsed);
        if (refused == null && !nonce.equals(claims.text("nonce"))) {
            refused = refusal(Reason.NONCE, "nonce", claims.all().get("nonce"), "that of the login");
        }
        String party = claims.text("azp");
        if (refused == null && (party == null ? claims.values("aud").size() != 1 : !party.equals(clientId))) {
            refused = refusal(Reason.AUDIENCE, "azp", party, clientId);
        }
        if (refused != null) {
            return refused;
        }
        Map<String, Object> all = new HashMap<>(userInfo);
        all.putAll(claims.all());
        return ofIssuer(new Claims(all), Set.of(clientId));
    }

    private static @Nullable JWSObject parse(String token) {
        // The parser would strip surrounding white space.
        if (token.length() != token.trim().length()) {
            return null;
        }
        try {
            return JWSObject.parse(token);
        } catch (ParseException | IllegalArgumentException e) {
            // No token of an issuer; the caller reads it as a token of this server.
            return null;
        }
    }

    /** A text that is no signed token, but names the issuer: {@code alg} is {@code none}. Null for every other text. */
    private @Nullable Refused unsigned(String text) {
        try {
            Base64URL[] parts = JOSEObject.split(text.trim());
            Claims claims = claims(new Payload(parts[1]));
            return claims != null && settings.issuer().equals(claims.text("iss"))
                    ? refusal(Reason.ALGORITHM, "header", parts[0].decodeToString(), settings.algorithms())
                    : null;
        } catch (ParseException | IllegalArgumentException e) {
            // No token; the caller reads the text as without an issuer.
            return null;
        }
    }

    private static @Nullable Claims claims(Payload payload) {
        Map<String, Object> all = payload.toJSONObject();
        return all == null ? null : new Claims(all);
    }

    /** Null if a key of the issuer has signed the token. */
    private @Nullable Refused unproved(JWSObject token) {
        JWSHeader header = token.getHeader();
        String algorithm = header.getAlgorithm().getName();
        if (!settings.algorithms().contains(algorithm)) {
            return refusal(Reason.ALGORITHM, "alg", algorithm, settings.algorithms());
        }
        VerificationKeys present = keys.present();
        if (!present.has(header)) {
            return refusal(Reason.KEY, "kid", header.getKeyID(), "a key that the issuer publishes for " + algorithm);
        }
        // A base64 decoder ignores superfluous bits. Only the canonical text is accepted.
        boolean isCanonical = Base64URL.encode(token.getSignature().decode()).equals(token.getSignature());
        return isCanonical && present.verify(token)
                ? null
                : refusal(Reason.SIGNATURE, "signature", "wrong", "that of the key " + header.getKeyID());
    }

    private static boolean isOther(JWSHeader header, Claims claims) {
        String type = claims.text("typ");
        return type != null && OTHER_TOKENS.contains(type.toLowerCase(java.util.Locale.ROOT))
                || claims.all().containsKey("events")
                || header.getType() != null && header.getType().getType().startsWith("logout");
    }

    /** A token that a key of the issuer has signed. */
    private Reading ofIssuer(Claims claims, Set<String> audiences) {
        String subject = claims.text("sub");
        if (subject == null
                || subject.isBlank()
                || subject.length() > MAX_SUBJECT
                || CONTROL.matcher(subject).find()) {
            return refusal(Reason.SUBJECT, "sub", claims.all().get("sub"), "1-" + MAX_SUBJECT + " visible characters");
        }
        String name = name(claims);
        long now = clock.millis();
        long skew = settings.clockSkew().toMillis();
        Long end = claims.seconds("exp");
        if (end == null || end * 1000 + skew <= now) {
            return refusal(Reason.EXPIRED, "exp", claims.all().get("exp"), "after " + now / 1000, name);
        }
        for (String claim : List.of("nbf", "iat")) {
            Long start = claims.seconds(claim);
            if (claims.all().containsKey(claim) && (start == null || start * 1000 - skew > now)) {
                return refusal(Reason.NOT_YET_VALID, claim, claims.all().get(claim), "not after " + now / 1000, name);
            }
        }
        if (claims.values("aud").stream().noneMatch(audiences::contains)) {
            return refusal(Reason.AUDIENCE, "aud", claims.all().get("aud"), audiences, name);
        }
        List<RoleRule> matching = matching(rules, claims);
        Set<String> stored = texts(matching(storedRules, claims)).collect(Collectors.toSet());
        return new Issued(
                new IssuerIdentity(settings.issuer(), subject, name, roles(matching), stored, end * 1000 + skew),
                Stream.concat(texts(matching), stored.stream().sorted())
                        .distinct()
                        .toList());
    }

    private static List<RoleRule> matching(List<RoleRule> rules, Claims claims) {
        return rules.stream().filter(rule -> rule.matches(claims)).toList();
    }

    private static Stream<String> texts(List<RoleRule> rules) {
        return rules.stream().map(RoleRule::toString);
    }

    private static Set<String> roles(List<RoleRule> rules) {
        return rules.stream().map(RoleRule::role).collect(Collectors.toSet());
    }

    @Override
    public @Nullable IssuerIdentity present(IssuedLogin login, long expiresAtMillis) {
        if (!login.issuer().equals(settings.issuer())) {
            return null;
        }
        List<RoleRule> matching = rules.stream()
                .filter(rule -> login.rules().contains(rule.toString()))
                .toList();
        // All rules of the login may be stored ones, also such as are stored again later.
        return new IssuerIdentity(
                login.issuer(),
                login.subject(),
                login.name(),
                roles(matching),
                Set.copyOf(login.rules()),
                expiresAtMillis);
    }

    @Override
    public List<String> rules() {
        return texts(rules).toList();
    }

    @Override
    public void storedRules(List<RoleRule> present) {
        storedRules = List.copyOf(present);
        misfits.storedRules(texts(storedRules).toList());
    }

    /** The subject, with a name for people before it. */
    private String name(Claims claims) {
        String subject = String.valueOf(claims.text("sub"));
        String username = claims.text(settings.usernameClaim());
        return username == null
                        || username.equals(subject)
                        || !PLAIN_NAME.matcher(username).matches()
                ? SOURCE + subject
                : SOURCE + username + " (" + subject + ')';
    }

    private static Refused refusal(Reason reason, String claim, @Nullable Object seen, Object expected) {
        return refusal(reason, claim, seen, expected, null);
    }

    private static Refused refusal(
            Reason reason, String claim, @Nullable Object seen, Object expected, @Nullable String name) {
        return new Refused(word(reason), claim + ": " + shown(seen) + " (expected: " + expected + ')', name);
    }

    /** The sender chooses it, so it is cut and has no line breaks. */
    private static String shown(@Nullable Object seen) {
        String text = seen == null ? "absent" : CONTROL.matcher(seen.toString()).replaceAll("?");
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "...";
    }

    private static String word(Reason reason) {
        return reason.name().toLowerCase(java.util.Locale.ROOT);
    }

    @Override
    public @Nullable CompletionStage<?> awaitKeys(String token) {
        JWSObject parsed = parse(token);
        Claims claims = parsed == null ? null : claims(parsed.getPayload());
        if (parsed == null
                || claims == null
                || !settings.issuer().equals(claims.text("iss"))
                || !settings.algorithms()
                        .contains(parsed.getHeader().getAlgorithm().getName())
                || keys.present().has(parsed.getHeader())) {
            return null;
        }
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            return null;
        }
        CompletionStage<Void> asked = keys.askForUnknown();
        if (asked == null) {
            waiting.decrementAndGet();
            return null;
        }
        return asked.whenComplete((done, failure) -> waiting.decrementAndGet());
    }

    @Override
    public void report(Reading reading) {
        if (reading instanceof Refused refused) {
            refused(refused.reason()).increment();
            if (refused.reason().equals(word(Reason.AUDIENCE))) {
                misfits.otherAudience(refused);
            }
            log.warn(
                    "A token was refused: {}{}",
                    refused.detail(),
                    refused.name() == null ? "" : "; it is of '" + refused.name() + "'");
        } else {
            accepted.increment();
            misfits.accepted(((Issued) reading).rules());
        }
    }

    private Counter refused(String reason) {
        return Counter.builder(MeterNames.ISSUER_TOKENS_REFUSED)
                .tag("reason", reason)
                .register(meters);
    }

    @Override
    public List<Finding> findings() {
        IssuerKeys.Away away = keys.away();
        return away == null
                ? misfits.all()
                : List.of(new Finding(
                        Finding.Kind.ISSUER_AWAY,
                        keys.present().isEmpty(),
                        settings.issuer(),
                        "",
                        away.cause(),
                        0,
                        0,
                        away.sinceMillis(),
                        ""));
    }

    @Override
    public void close() {
        keys.close();
        http.close();
    }
}
