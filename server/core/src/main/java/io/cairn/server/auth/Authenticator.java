package io.cairn.server.auth;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.Accounts.Account;
import io.cairn.server.auth.Accounts.TokenAccount;
import io.cairn.server.tls.CertifiedUser;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates callers. A token is verified once, then cached by its text until it expires or its user or password changes. Each
 * request uses the present permissions.
 */
public final class Authenticator {

    /** Characters of known tokens, with what is kept beside each. */
    private static final int KNOWN_TOKENS = 32_000_000;

    private static final int BESIDE_TOKEN = 400;
    private static final int KNOWN_PASSWORDS = 10_000;
    private static final int MAX_TOKEN_LENGTH = 4096;
    private static final int MAX_NAME_LENGTH = 64;
    private static final int MAX_PASSWORD_LENGTH = 1024;
    /** Audit detail of a password in a request instead of a login. */
    private static final String WITH_REQUEST = "with a request";

    private static final String TO_SET_ANOTHER = "to set another";

    private final Accounts accounts;
    private final UserTokens userTokens;
    private final IssuerTokens issuer;
    /** Null without a directory. */
    private final @Nullable DirectoryLogins directory;

    private final int maxTokenLength;
    private final LoginThrottle throttle;
    private final LoginRecords records;
    private final Clock clock;
    private final Executor hashing;
    private final Cache<String, Known> tokens = Caffeine.newBuilder()
            .maximumWeight(KNOWN_TOKENS)
            .weigher((String token, Known known) -> token.length() + BESIDE_TOKEN)
            .build();
    /** Keyed digests (with a key of this process) of right names and passwords, each with the matched hash. */
    private final Cache<String, String> passwords = Caffeine.newBuilder()
            .maximumSize(KNOWN_PASSWORDS)
            .expireAfterWrite(Duration.ofMinutes(5))
            .build();

    /**
     * The digests of wrong passwords, each with the compared hash. A repeated wrong password reveals nothing, so it is not counted
     * again: an application with an old password would otherwise lock out others at its address.
     */
    private final Cache<String, String> wrong = Caffeine.newBuilder()
            .maximumSize(KNOWN_PASSWORDS)
            .expireAfterWrite(Duration.ofHours(1))
            .build();

    private final SecretKeySpec passwordsKey;
    private final LongAdder rightLogins = new LongAdder();
    private final LongAdder wrongLogins = new LongAdder();
    private final LongAdder lockedLogins = new LongAdder();
    /** As the issuer has them; accessed by the reading thread of the accounts. */
    private List<RoleRule> storedRules = List.of();
    /** The number of clears of the token cache. */
    private final AtomicInteger forgotten = new AtomicInteger();

    /**
     * @param issuer also identifies callers; {@link IssuerTokens#NONE} for this server's tokens alone
     * @param audit receives each login attempt
     * @param hashing a bounded pool for slow checks of passwords
     */
    public Authenticator(
            Accounts accounts,
            UserTokens userTokens,
            IssuerTokens issuer,
            LoginThrottle throttle,
            AuditStore audit,
            Clock clock,
            Executor hashing) {
        this(accounts, userTokens, issuer, Directory.NONE, throttle, audit, clock, hashing);
    }

    /** @param directory logs in the users that are not local; {@link Directory#NONE} without a directory */
    public Authenticator(
            Accounts accounts,
            UserTokens userTokens,
            IssuerTokens issuer,
            Directory directory,
            LoginThrottle throttle,
            AuditStore audit,
            Clock clock,
            Executor hashing) {
        this.accounts = accounts;
        this.userTokens = userTokens;
        this.issuer = issuer;
        this.directory = directory == Directory.NONE ? null : new DirectoryLogins(directory);
        this.maxTokenLength = Math.max(MAX_TOKEN_LENGTH, issuer.maxLength());
        this.throttle = throttle;
        this.records = new LoginRecords(audit);
        this.clock = clock;
        this.hashing = hashing;
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        this.passwordsKey = new SecretKeySpec(key, "HmacSHA256");
        if (issuer != IssuerTokens.NONE) {
            accounts.onChange(this::applyRules);
        }
    }

    /** Tokens of the issuer are read again after a change of the stored rules. */
    private void applyRules() {
        List<RoleRule> stored = accounts.rows().rules().stream()
                .map(AccountRows.IssuerRule::rule)
                .toList();
        if (!stored.equals(storedRules)) {
            storedRules = stored;
            issuer.storedRules(stored);
            forgetTokens();
        }
    }

    /**
     * A verified token.
     *
     * @param issued null for a token of this server
     */
    private record Known(
            boolean machine,
            String nameOrId,
            @Nullable String fingerprint,
            long expiresAtMillis,
            @Nullable IssuerIdentity issued) {

        Known(boolean machine, String nameOrId, @Nullable String fingerprint, long expiresAtMillis) {
            this(machine, nameOrId, fingerprint, expiresAtMillis, null);
        }
    }

    public sealed interface Login permits LoggedIn, NotLoggedIn, MustWait {}

    public record LoggedIn(String token, Duration timeToLive, Principal principal, boolean mustChangePassword)
            implements Login {}

    public record NotLoggedIn() implements Login {}

    /** After too many failures, refused without a check of the password. */
    public record MustWait(Duration pause) implements Login {}

    /** {@link Principal#ANONYMOUS} without a token. Never blocks. */
    public Identity byToken(@Nullable String token) {
        if (token == null || token.isBlank()) {
            return Principal.ANONYMOUS;
        }
        if (token.length() > maxTokenLength) {
            return Denial.BAD_TOKEN;
        }
        Known known = tokens.getIfPresent(token);
        if (known != null && (known.issued == null || clock.millis() < known.expiresAtMillis)) {
            return present(known);
        }
        if (token.startsWith(MachineToken.PREFIX)) {
            return byMachineToken(token);
        }
        int round = forgotten.get();
        IssuerTokens.Reading reading = issuer.read(token);
        return reading == null ? byUserToken(token) : byIssuer(token, reading, round);
    }

    /**
     * Completes when an issuer was asked for a key that the token needs, and never exceptionally. Null if {@link #byToken} can
     * decide now. Never blocks.
     */
    public @Nullable CompletionStage<?> awaitKeys(@Nullable String token) {
        return issuer == IssuerTokens.NONE
                        || token == null
                        || token.length() > maxTokenLength
                        || tokens.getIfPresent(token) != null
                ? null
                : issuer.awaitKeys(token);
    }

    /**
     * The facts about a token.
     *
     * @param who null for a token that is refused
     * @param issued null for a token that no issuer has caused
     * @param rules that match an issuer's token
     * @param refusal for administrators; empty for a valid token
     */
    public record TokenFacts(
            @Nullable Principal who, @Nullable IssuerIdentity issued, List<String> rules, String refusal) {

        public TokenFacts {
            rules = List.copyOf(rules);
        }
    }

    /** Reads a token for an administrator; nothing is counted and no refusal is logged. Never blocks. */
    public TokenFacts explain(String token) {
        IssuerTokens.Reading reading = token.length() > maxTokenLength ? null : issuer.read(token);
        if (reading instanceof IssuerTokens.Refused refused) {
            return new TokenFacts(null, null, List.of(), refused.detail());
        }
        if (reading instanceof IssuerTokens.Issued issued) {
            IssuerIdentity identity = issued.identity();
            return new TokenFacts(accounts.principal(identity), identity, issued.rules(), "");
        }
        Identity who = byToken(token);
        List<String> rules =
                userTokens.read(token) instanceof UserTokens.ValidIssued person ? rules(person.login()) : List.of();
        return who instanceof Principal principal && principal.isSomebody()
                ? new TokenFacts(principal, principal.issued(), rules, "")
                : new TokenFacts(
                        null,
                        null,
                        List.of(),
                        who == Denial.EXPIRED ? "it has expired" : "no token of this server or of its issuer");
    }

    private List<String> rules(IssuedLogin login) {
        DirectoryLogins logins = directory;
        if (logins != null && login.issuer().equals(LdapUsers.SOURCE)) {
            return logins.rules(login);
        }
        Set<String> present = new HashSet<>(issuer.rules());
        accounts.rows().rules().forEach(stored -> present.add(stored.rule().toString()));
        return login.rules().stream().filter(present::contains).toList();
    }

    private Identity byIssuer(String text, IssuerTokens.Reading reading, int round) {
        issuer.report(reading);
        if (!(reading instanceof IssuerTokens.Issued issued)) {
            return Denial.BAD_TOKEN;
        }
        IssuerIdentity identity = issued.identity();
        tokens.put(text, new Known(false, identity.name(), null, identity.expiresAtMillis(), identity));
        if (forgotten.get() != round) {
            // The issuer may have withdrawn the key.
            tokens.invalidate(text);
        }
        return accounts.principal(identity);
    }

    /**
     * The present or former owner of a token, as {@link Principal#toString}, also of an expired, revoked or outdated one; null if
     * no key or secret proves the token. For records of refusals only, never for a decision.
     */
    public @Nullable String nameOf(@Nullable String token) {
        if (token == null || token.isBlank() || token.length() > maxTokenLength) {
            return null;
        }
        if (token.startsWith(MachineToken.PREFIX)) {
            MachineToken read = MachineToken.read(token);
            TokenAccount account = read == null ? null : accounts.token(read.id());
            return read != null
                            && account != null
                            && read.matches(account.token().digest())
                    ? account.principal().toString()
                    : null;
        }
        Known known = tokens.getIfPresent(token);
        if (known != null) {
            return known.nameOrId;
        }
        IssuerTokens.Reading issued = issuer.read(token);
        if (issued != null) {
            return issued instanceof IssuerTokens.Issued valid
                    ? valid.identity().name()
                    : ((IssuerTokens.Refused) issued).name();
        }
        UserTokens.Reading reading = userTokens.read(token);
        if (reading instanceof UserTokens.ValidIssued person) {
            return person.login().name();
        }
        return reading instanceof UserTokens.Valid valid ? valid.username() : ((UserTokens.Refused) reading).username();
    }

    private Identity byMachineToken(String text) {
        MachineToken token = MachineToken.read(text);
        TokenAccount account = token == null ? null : accounts.token(token.id());
        if (token == null || account == null || !token.matches(account.token().digest())) {
            return Denial.BAD_TOKEN;
        }
        Known known = new Known(true, token.id(), null, account.token().expiresAtMillis());
        tokens.put(text, known);
        return present(known);
    }

    private Identity byUserToken(String text) {
        int round = forgotten.get();
        UserTokens.Reading reading = userTokens.read(text);
        if (reading instanceof UserTokens.Refused refused) {
            return refused.why();
        }
        Known known = known(reading);
        if (known == null) {
            return Denial.BAD_TOKEN;
        }
        tokens.put(text, known);
        if (forgotten.get() != round) {
            // With changed keys the token may expire at another time.
            tokens.invalidate(text);
        }
        return present(known);
    }

    /** Null for a person of a source that the settings no longer have. */
    private @Nullable Known known(UserTokens.Reading reading) {
        if (reading instanceof UserTokens.ValidIssued person) {
            IssuerIdentity identity = identity(person.login(), person.expiresAtMillis());
            return identity == null
                    ? null
                    : new Known(false, identity.name(), null, person.expiresAtMillis(), identity);
        }
        UserTokens.Valid valid = (UserTokens.Valid) reading;
        return new Known(false, valid.username(), valid.fingerprint(), valid.expiresAtMillis());
    }

    private @Nullable IssuerIdentity identity(IssuedLogin login, long expiresAtMillis) {
        DirectoryLogins logins = directory;
        return logins != null && login.issuer().equals(LdapUsers.SOURCE)
                ? logins.present(login, expiresAtMillis)
                : issuer.present(login, expiresAtMillis);
    }

    private Identity present(Known known) {
        if (clock.millis() >= known.expiresAtMillis) {
            return Denial.EXPIRED;
        }
        if (known.issued != null) {
            return present(known.issued);
        }
        if (known.machine) {
            TokenAccount account = accounts.token(known.nameOrId);
            return account == null || account.token().revokedAtMillis() > 0 ? Denial.BAD_TOKEN : account.principal();
        }
        Account account = accounts.user(known.nameOrId);
        if (account == null || !account.user().enabled()) {
            return Denial.NO_RIGHT;
        }
        if (known.fingerprint != null && !known.fingerprint.equals(account.fingerprint())) {
            return Denial.BAD_TOKEN;
        }
        return account.principal();
    }

    private Identity present(IssuerIdentity identity) {
        return accounts.isDisabled(identity) ? Denial.NO_RIGHT : accounts.principal(identity);
    }

    /** The principal of a verified client certificate. Never blocks. */
    public Identity byCertificate(CertifiedUser user) {
        if (clock.millis() >= user.validUntilMillis()) {
            return Denial.EXPIRED;
        }
        Account account = accounts.user(user.username());
        return account == null || !account.user().enabled() ? Denial.NO_USER : account.certified();
    }

    /** Call it after a change of the signing keys. */
    public void forgetTokens() {
        forgotten.incrementAndGet();
        tokens.invalidateAll();
    }

    /** The principal of a name and password in a request. A checked attempt is audited as a login. */
    public CompletionStage<Identity> byPassword(String username, String password, String address) {
        if (!isPossible(username, password)) {
            return CompletableFuture.completedFuture(Denial.NO_USER);
        }
        Account account = accounts.user(username);
        String digest = digest(username, password);
        if (account != null
                && account.user().enabled()
                && account.user().password().equals(passwords.getIfPresent(digest))
                && !throttle.isLocked(username, address)) {
            return CompletableFuture.completedFuture(account.principal());
        }
        IssuerIdentity identity = directory == null || account != null ? null : directory.known(digest);
        if (identity != null && !accounts.isDisabled(identity) && !throttle.isLocked(username, address)) {
            return CompletableFuture.completedFuture(accounts.principal(identity));
        }
        return check(username, password, address, WITH_REQUEST).thenApply(login -> {
            if (login instanceof LoggedIn loggedIn) {
                return loggedIn.principal();
            }
            return Denial.NO_USER;
        });
    }

    /**
     * Checks a password and issues a token. The attempt is audited, unless it is refused unchecked.
     *
     * @throws CairnException (in the stage) {@code BUSY} for too many concurrent checks
     */
    public CompletionStage<Login> login(String username, String password, String address) {
        return check(username, password, address, null);
    }

    /**
     * Issues a token to a person whom an issuer has identified, and audits the login.
     *
     * @param untilMillis the end of the issuer's token; this server's does not live longer
     */
    public LoggedIn loginBy(IssuerTokens.Issued issued, long untilMillis, String address) {
        IssuerIdentity identity = issued.identity();
        long now = clock.millis();
        long end = Math.min(untilMillis, now + userTokens.timeToLive().toMillis());
        String token = userTokens.issue(
                new IssuedLogin(identity.issuer(), identity.subject(), identity.name(), issued.rules()), end);
        Principal principal = accounts.principal(identity);
        records.right(principal, address, null);
        return new LoggedIn(token, Duration.ofMillis(end - now), principal, false);
    }

    /**
     * Audits a login at an issuer that has failed. The caller limits the number of records.
     *
     * @param name of the person, if the issuer has signed it; else empty
     * @param reason without a secret
     */
    public void loginFailed(String name, String issuer, String reason, String address) {
        records.refused(name, issuer, address, reason);
    }

    /** Checks the present password of a user that sets another. Counts and audits as a login. */
    public CompletionStage<Login> confirm(String username, String password, String address) {
        return check(username, password, address, TO_SET_ANOTHER);
    }

    /** Rejects impossible names and passwords, which are neither cached nor hashed. */
    private static boolean isPossible(String username, String password) {
        return !username.isBlank() && username.length() <= MAX_NAME_LENGTH && password.length() <= MAX_PASSWORD_LENGTH;
    }

    /** In logins and requests, each checked password once. */
    public long rightLogins() {
        return rightLogins.sum();
    }

    /** In logins and requests. */
    public long wrongLogins() {
        return wrongLogins.sum();
    }

    /** Attempts refused unchecked, after too many failures. */
    public long lockedLogins() {
        return lockedLogins.sum();
    }

    private CompletionStage<Login> check(String username, String password, String address, @Nullable String detail) {
        return checkUncounted(username, password, address, detail).thenApply(login -> {
            if (login instanceof LoggedIn loggedIn) {
                if (loggedIn.principal().kind() == Principal.Kind.USER) {
                    rightLogins.increment();
                }
            } else if (login instanceof NotLoggedIn) {
                wrongLogins.increment();
            } else if (login instanceof MustWait) {
                lockedLogins.increment();
            }
            return login;
        });
    }

    private CompletionStage<Login> checkUncounted(
            String username, String password, String address, @Nullable String detail) {
        if (!isPossible(username, password)) {
            return CompletableFuture.completedFuture(new NotLoggedIn());
        }
        Duration wait = throttle.waitOf(username, address);
        if (!wait.isZero()) {
            return CompletableFuture.completedFuture(new MustWait(wait));
        }
        String digest = digest(username, password);
        DirectoryLogins logins = directory;
        if (logins != null && accounts.user(username) == null) {
            return logins.isKnownToBeWrong(digest)
                    ? CompletableFuture.completedFuture(new NotLoggedIn())
                    : byDirectory(logins, username, password, digest, address, detail);
        }
        if (isKnownToBeWrong(digest, username)) {
            return CompletableFuture.completedFuture(new NotLoggedIn());
        }
        CompletableFuture<Login> result = new CompletableFuture<>();
        try {
            hashing.execute(() -> {
                try {
                    result.complete(checkNow(username, password, digest, address, detail));
                } catch (RuntimeException | Error e) {
                    // Errors too: the caller waits for the stage.
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(
                    new CairnException(ErrorCode.BUSY, "Too many logins are under way; try again shortly", e));
        }
        return result;
    }

    private CompletionStage<Login> byDirectory(
            DirectoryLogins logins,
            String username,
            String password,
            String digest,
            String address,
            @Nullable String detail) {
        long end = clock.millis() + userTokens.timeToLive().toMillis();
        return logins.login(username, password, digest, end).thenApply(login -> {
            IssuerIdentity identity = login == null ? null : logins.present(login, end);
            if (login == null || identity == null || accounts.isDisabled(identity)) {
                return failed(username, address, detail);
            }
            Principal principal = accounts.principal(identity);
            throttle.succeeded(username, address);
            records.right(principal, address, detail);
            return new LoggedIn(userTokens.issue(login, end), userTokens.timeToLive(), principal, false);
        });
    }

    private Login checkNow(String username, String password, String digest, String address, @Nullable String detail) {
        Duration wait = throttle.waitOf(username, address);
        if (!wait.isZero()) {
            // Other attempts have failed while this one was queued.
            return new MustWait(wait);
        }
        if (isKnownToBeWrong(digest, username)) {
            return new NotLoggedIn();
        }
        Account account = accounts.user(username);
        if (account == null
                || !account.user().enabled()
                || LdapUsers.isOne(username)
                || Passwords.isShipped(password)) {
            Passwords.pretendToCheck(password);
            wrong.put(digest, wrongFor(account));
            return failed(username, address, detail);
        }
        if (!Passwords.matches(password, account.user().password())) {
            wrong.put(digest, wrongFor(account));
            return failed(username, address, detail);
        }
        throttle.succeeded(username, address);
        records.right(account.principal(), address, detail);
        passwords.put(digest, account.user().password());
        return new LoggedIn(
                userTokens.issue(username, account.fingerprint()),
                userTokens.timeToLive(),
                account.principal(),
                account.user().mustChange());
    }

    private boolean isKnownToBeWrong(String digest, String username) {
        String known = wrong.getIfPresent(digest);
        return known != null && known.equals(wrongFor(accounts.user(username)));
    }

    /** The hash that a wrong password was compared with. With another hash, the password is checked again. */
    private static String wrongFor(@Nullable Account account) {
        return account == null
                ? ""
                : (account.user().enabled() ? '+' : '-') + account.user().password();
    }

    private NotLoggedIn failed(String username, String address, @Nullable String detail) {
        throttle.failed(username, address);
        records.wrong(username, address, !throttle.waitOf(username, address).isZero(), detail);
        return new NotLoggedIn();
    }

    private String digest(String username, String password) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(passwordsKey);
            mac.update(username.getBytes(StandardCharsets.UTF_8));
            mac.update((byte) 0);
            return Base64.getEncoder().encodeToString(mac.doFinal(password.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }
}
