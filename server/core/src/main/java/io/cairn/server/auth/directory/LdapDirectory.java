package io.cairn.server.auth.directory;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.attention.Finding;
import io.cairn.server.auth.Claims;
import io.cairn.server.auth.Directory;
import io.cairn.server.auth.IssuedLogin;
import io.cairn.server.auth.IssuerIdentity;
import io.cairn.server.auth.LdapUsers;
import io.cairn.server.auth.RoleRule;
import io.cairn.server.auth.directory.DirectorySettings.Account;
import io.cairn.server.auth.directory.LdapConnection.Deadline;
import io.cairn.server.auth.directory.LdapConnection.Entry;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.tls.TrustedAuthorities;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.naming.AuthenticationException;
import javax.naming.NamingException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs users in by an LDAP directory: searches the entry with their name, binds as it with their password, and reads their groups.
 * Each login has a connection of its own, on a thread of a small pool. Thread-safe; never blocks.
 */
public final class LdapDirectory implements Directory {

    private static final Logger log = LoggerFactory.getLogger(LdapDirectory.class);

    /** Of one login at all servers. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final Duration CHECK_WHEN_WELL = Duration.ofMinutes(5);
    private static final int WAITING_PER_BIND = 4;
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    static {
        // JNDI reads it once. No entry of a directory may become an object of this process.
        System.setProperty("com.sun.jndi.ldap.object.trustSerialData", "false");
    }

    private final DirectorySettings settings;
    private final List<LdapServer> servers;
    private final List<RoleRule> rules;
    private final UserClaims claims;
    private final SSLContext tls;
    private final ThreadPoolExecutor pool;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final MeterRegistry meters;
    private final Counter accepted;
    private final AtomicInteger threads = new AtomicInteger();
    private volatile @Nullable Timeout next;
    private volatile boolean closed;

    /** Why a login is refused; the words are values of a tag. */
    enum Reason {
        UNKNOWN,
        AMBIGUOUS,
        NAME,
        SUBJECT,
        PASSWORD,
        BUSY,
        AWAY
    }

    /** @throws IllegalArgumentException for certificates that cannot be used */
    public LdapDirectory(
            DirectorySettings settings, Timer timer, Clock clock, LongSupplier nanoTime, MeterRegistry meters) {
        this.settings = settings;
        this.servers = settings.servers().stream()
                .map(url -> new LdapServer(url, clock, nanoTime))
                .toList();
        this.rules = settings.rules().stream().map(RoleRule::parse).toList();
        this.claims = new UserClaims(settings);
        this.tls = TrustedAuthorities.context(settings.trusted());
        this.pool = new ThreadPoolExecutor(
                settings.maxBinds(),
                settings.maxBinds(),
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(settings.maxBinds() * WAITING_PER_BIND),
                this::thread);
        this.pool.allowCoreThreadTimeOut(true);
        this.timer = timer;
        this.nanoTime = nanoTime;
        this.meters = meters;
        this.accepted = Counter.builder(MeterNames.LOGINS)
                .tag("source", LdapUsers.SOURCE)
                .register(meters);
        for (Reason reason : Reason.values()) {
            refused(reason);
        }
    }

    private Thread thread(Runnable work) {
        Thread made = new Thread(work, "cairn-directory-" + threads.incrementAndGet());
        made.setDaemon(true);
        return made;
    }

    /** Checks the servers at once and then regularly; the server does not wait for that. */
    public void start() {
        checkSoon();
    }

    @Override
    public CompletionStage<@Nullable IssuedLogin> login(String username, String password) {
        // Many servers accept a name without a password, as an anonymous bind.
        if (password.isEmpty()) {
            return CompletableFuture.completedFuture(refuse(username, Reason.PASSWORD, "it is empty"));
        }
        if (CONTROL.matcher(username).find()) {
            return CompletableFuture.completedFuture(refuse("?", Reason.NAME, "it has control characters"));
        }
        Deadline deadline = Deadline.in(LIMIT, nanoTime);
        CompletableFuture<@Nullable IssuedLogin> result = new CompletableFuture<>();
        try {
            pool.execute(() -> {
                try {
                    result.complete(loginNow(username, password, deadline));
                } catch (RuntimeException | Error e) {
                    // Errors too: the caller waits for the stage.
                    result.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            refused(Reason.BUSY).increment();
            result.completeExceptionally(
                    new CairnException(ErrorCode.BUSY, "Too many logins wait for the directory; try again shortly", e));
        }
        return result;
    }

    private @Nullable IssuedLogin loginNow(String username, String password, Deadline deadline) {
        for (LdapServer server : inTurn()) {
            if (deadline.isOver()) {
                break;
            }
            try (LdapConnection connection = LdapConnection.open(server.url(), settings, tls, deadline)) {
                IssuedLogin login = ask(connection, username, password);
                server.reached();
                return login;
            } catch (NamingException | IOException e) {
                server.failed(e);
            }
        }
        refused(Reason.AWAY).increment();
        throw new CairnException(
                ErrorCode.UNAVAILABLE,
                "The directory does not answer, so its users cannot log in at present; try again later");
    }

    /** Servers that failed a short time ago are the last. */
    private List<LdapServer> inTurn() {
        List<LdapServer> order = new ArrayList<>(servers);
        order.sort(Comparator.comparing(LdapServer::rests));
        return order;
    }

    private @Nullable IssuedLogin ask(LdapConnection connection, String username, String password)
            throws NamingException {
        String name = settings.isCaseSensitive() ? username : username.toLowerCase(Locale.ROOT);
        bindToSearch(connection);
        List<Entry> found = search(connection, name);
        if (found.size() != 1) {
            return found.isEmpty()
                    ? refuse(name, Reason.UNKNOWN, "no entry below " + settings.base() + " has the name")
                    : refuse(name, Reason.AMBIGUOUS, "several entries below " + settings.base() + " have the name");
        }
        Entry user = found.get(0);
        if (!hasName(user, name)) {
            return refuse(name, Reason.NAME, settings.nameAttribute() + " of " + user.dn() + " is another text");
        }
        String subject = subject(user);
        if (subject == null) {
            return refuse(name, Reason.SUBJECT, user.dn() + " has no readable " + settings.subjectAttribute());
        }
        String fault = proved(connection, user, password);
        if (fault != null) {
            return refuse(name, Reason.PASSWORD, fault);
        }
        bindToSearch(connection);
        Claims read = claims.read(connection, user, name);
        accepted.increment();
        return new IssuedLogin(
                LdapUsers.SOURCE,
                subject,
                LdapUsers.shown(name),
                rules.stream()
                        .filter(rule -> rule.matches(read))
                        .map(RoleRule::id)
                        .toList());
    }

    private void bindToSearch(LdapConnection connection) throws NamingException {
        Account account = settings.searchAccount();
        if (account == null) {
            connection.bindAnonymously();
            return;
        }
        try {
            connection.bind(account.name(), account.password());
        } catch (AuthenticationException e) {
            NamingException named = new AuthenticationException(
                    "the search account '" + account.name() + "' is refused: " + e.getMessage());
            named.initCause(e);
            throw named;
        }
    }

    private List<Entry> search(LdapConnection connection, String name) throws NamingException {
        List<String> attributes = new ArrayList<>(settings.attributesInRules());
        attributes.add(settings.nameAttribute());
        if (settings.subjectAttribute() != null) {
            attributes.add(settings.subjectAttribute());
        }
        return connection.search(
                settings.base(), '(' + settings.nameAttribute() + "={0})", List.of(name), attributes, 2);
    }

    /** A directory may find a name by other rules than equality, such as without blanks; its user has another name then. */
    private boolean hasName(Entry user, String name) throws NamingException {
        return user.texts(settings.nameAttribute()).stream().anyMatch(name::equalsIgnoreCase);
    }

    private @Nullable String subject(Entry user) throws NamingException {
        String attribute = settings.subjectAttribute();
        if (attribute == null) {
            return user.dn();
        }
        Object value = user.first(attribute);
        return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : (String) value;
    }

    /** Null for the right password; else the answer of the directory. */
    private static @Nullable String proved(LdapConnection connection, Entry user, String password)
            throws NamingException {
        try {
            connection.bind(user.dn(), password);
            return null;
        } catch (NamingException e) {
            if (LdapFailures.isRefusal(e)) {
                return LdapFailures.text(e);
            }
            throw e;
        }
    }

    private @Nullable IssuedLogin refuse(String name, Reason reason, String detail) {
        refused(reason).increment();
        log.info("The directory refused a login of '{}': {}", name, detail);
        return null;
    }

    private Counter refused(Reason reason) {
        return Counter.builder(MeterNames.DIRECTORY_LOGINS_REFUSED)
                .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    @Override
    public @Nullable IssuerIdentity present(IssuedLogin login, long expiresAtMillis) {
        return login.issuer().equals(LdapUsers.SOURCE)
                ? new IssuerIdentity(
                        login.issuer(),
                        login.subject(),
                        login.name(),
                        matched(login).map(RoleRule::role).collect(Collectors.toSet()),
                        expiresAtMillis)
                : null;
    }

    @Override
    public List<String> rules(IssuedLogin login) {
        return matched(login).map(RoleRule::toString).toList();
    }

    private Stream<RoleRule> matched(IssuedLogin login) {
        return rules.stream().filter(rule -> login.rules().contains(rule.id()));
    }

    private void checkSoon() {
        try {
            pool.execute(() -> {
                try {
                    checkNow();
                } finally {
                    checkLater();
                }
            });
        } catch (RejectedExecutionException e) {
            // The logins that fill the pool show the state of the servers.
            checkLater();
        }
    }

    private void checkNow() {
        for (LdapServer server : servers) {
            Deadline deadline = Deadline.in(LIMIT, nanoTime);
            try (LdapConnection connection = LdapConnection.open(server.url(), settings, tls, deadline)) {
                bindToSearch(connection);
                search(connection, LdapUsers.SOURCE);
                if (settings.needsGroups()) {
                    claims.search(connection, settings.base().toString(), LdapUsers.SOURCE);
                }
                server.reached();
            } catch (NamingException | IOException e) {
                server.failed(e);
            }
        }
    }

    private void checkLater() {
        if (!closed) {
            Duration pause =
                    servers.stream().allMatch(server -> server.away() == null) ? CHECK_WHEN_WELL : LdapServer.REST;
            next = timer.newTimeout(due -> checkSoon(), pause.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public List<Finding> findings() {
        boolean isUrgent = servers.stream().allMatch(server -> server.away() != null);
        List<Finding> findings = new ArrayList<>();
        for (LdapServer server : servers) {
            LdapServer.Away away = server.away();
            if (away != null) {
                findings.add(new Finding(
                        Finding.Kind.DIRECTORY_AWAY,
                        isUrgent,
                        server.url().toString(),
                        "",
                        away.cause(),
                        0,
                        0,
                        away.sinceMillis(),
                        ""));
            }
        }
        return findings;
    }

    @Override
    public void close() {
        closed = true;
        Timeout planned = next;
        if (planned != null) {
            planned.cancel();
        }
        pool.shutdownNow();
    }
}
