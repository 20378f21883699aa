package io.cairn.server.auth.directory;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.attention.Finding;
import io.cairn.server.auth.IssuedLogin;
import io.cairn.server.auth.IssuerIdentity;
import io.cairn.server.auth.directory.DirectorySettings.Account;
import io.cairn.server.auth.directory.DirectorySettings.Groups;
import io.cairn.server.auth.directory.DirectorySettings.Nesting;
import io.cairn.server.testing.TestAuthority;
import io.cairn.testing.TestDirectory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.HashedWheelTimer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LdapDirectoryTest {

    private static final String PASSWORD = "the-password-of-alice";

    @TempDir
    Path folder;

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicLong nanos = new AtomicLong();
    private final List<AutoCloseable> opened = new ArrayList<>();

    private List<String> urls;
    private boolean startTls;
    private Path trusted;
    private Duration readTimeout = Duration.ofSeconds(20);
    private int maxBinds = 4;
    private Account search = new Account(TestDirectory.SEARCH_DN, TestDirectory.SEARCH_PASSWORD);
    private boolean isCaseSensitive = true;
    private String subjectAttribute;
    private String groupFilter = "(member={0})";
    private Nesting nesting = Nesting.NONE;
    private List<String> rules = List.of("groups=platform -> ROLE_ADMIN", "groups=team-* -> DEV");

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        timer.stop();
    }

    private <T extends AutoCloseable> T closed(T made) {
        opened.add(0, made);
        return made;
    }

    private TestDirectory directory() {
        TestDirectory made = closed(TestDirectory.start());
        urls = List.of(made.url());
        return made;
    }

    private LdapDirectory login() {
        return closed(new LdapDirectory(
                new DirectorySettings(
                        urls.stream().map(DirectorySettings::server).toList(),
                        startTls,
                        trusted,
                        Duration.ofSeconds(20),
                        readTimeout,
                        maxBinds,
                        DirectorySettings.name("base", TestDirectory.BASE),
                        search,
                        "uid",
                        isCaseSensitive,
                        subjectAttribute,
                        new Groups(DirectorySettings.name("base", TestDirectory.GROUPS), groupFilter, "cn", nesting),
                        rules),
                timer,
                Clock.systemUTC(),
                nanos::get,
                meters));
    }

    private static IssuedLogin get(LdapDirectory logins, String name, String password) {
        return logins.login(name, password)
                .toCompletableFuture()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private static Set<String> roles(LdapDirectory logins, String name) {
        IssuedLogin login = get(logins, name, PASSWORD);
        assertThat(login).isNotNull();
        IssuerIdentity identity = logins.present(login, 1);
        assertThat(identity).isNotNull();
        return identity.roles();
    }

    private double refused(String reason) {
        return meters.get("cairn.directory.logins.refused")
                .tag("reason", reason)
                .counter()
                .count();
    }

    @Test
    void aUserIsItsEntryWithTheRolesOfItsGroups() {
        TestDirectory directory = directory();
        String alice = directory.user("alice", PASSWORD);
        directory.user("bob", "the-password-of-bob");
        directory.group("team-orders", alice);
        directory.group("lunch", alice);
        LdapDirectory logins = login();

        IssuedLogin login = get(logins, "alice", PASSWORD);

        assertThat(login.issuer()).isEqualTo("ldap");
        assertThat(login.subject()).isEqualTo(alice);
        assertThat(login.name()).isEqualTo("ldap:alice");
        assertThat(roles(logins, "alice")).containsExactly("DEV");
        assertThat(logins.present(get(logins, "bob", "the-password-of-bob"), 1).roles())
                .isEmpty();
        assertThat(meters.get("cairn.logins").tag("source", "ldap").counter().count())
                .isEqualTo(3);
    }

    @Test
    void aWrongPasswordAndAnUnknownNameAreRefused() {
        TestDirectory directory = directory();
        String alice = directory.user("alice", PASSWORD);
        LdapDirectory logins = login();

        assertThat(get(logins, "alice", "another-password")).isNull();
        assertThat(get(logins, "mallory", PASSWORD)).isNull();
        assertThat(directory.bindsOf(alice)).isEqualTo(1);
        assertThat(refused("password")).isEqualTo(1);
        assertThat(refused("unknown")).isEqualTo(1);
    }

    @Test
    void anEmptyPasswordReachesNoDirectory() {
        TestDirectory directory = directory();
        directory.user("alice", PASSWORD);

        assertThat(get(login(), "alice", "")).isNull();
        assertThat(directory.binds()).isZero();
        assertThatThrownBy(() -> new Account(TestDirectory.SEARCH_DN, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no password");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "al*",
                "alice)(uid=*",
                "*)(uid=*))(|(uid=*",
                "alice\\2a",
                "alice)(|(objectClass=*",
                "alice,ou=people,dc=example,dc=org",
                " alice",
                "alice ",
                "uid=alice"
            })
    void aNameIsTextAndNoPartOfAFilter(String name) {
        TestDirectory directory = directory();
        String alice = directory.user("alice", PASSWORD);

        assertThat(get(login(), name, PASSWORD)).isNull();
        assertThat(directory.bindsOf(alice)).isZero();
        assertThat(directory.filters()).allMatch(filter -> filter.startsWith("(uid=") && !filter.contains("=*"));
    }

    @Test
    void aNameWithControlCharactersReachesNoDirectory() {
        TestDirectory directory = directory();
        directory.user("alice", PASSWORD);
        LdapDirectory logins = login();

        assertThat(get(logins, "alice\0", PASSWORD)).isNull();
        assertThat(get(logins, "alice\n", PASSWORD)).isNull();
        assertThat(directory.binds()).isZero();
    }

    @Test
    void namesWithTheSignsOfFiltersAndDnsLogIn() {
        TestDirectory directory = directory();
        String odd = directory.user("o'neil, (jr) * \\ + \"x\" /y", PASSWORD);
        directory.group("team-odd", odd);
        LdapDirectory logins = login();

        assertThat(roles(logins, "o'neil, (jr) * \\ + \"x\" /y")).containsExactly("DEV");
        assertThat(get(logins, "o'neil, (jr) * \\ + \"x\" /y", "wrong")).isNull();
    }

    @Test
    void twoEntriesWithTheNameAreRefused() {
        TestDirectory directory = directory();
        directory.user("alice", PASSWORD);
        directory.person("cn=other," + TestDirectory.PEOPLE, "alice", PASSWORD);

        assertThat(get(login(), "alice", PASSWORD)).isNull();
        assertThat(refused("ambiguous")).isEqualTo(1);
    }

    @Test
    void theSubjectIsAnAttributeIfTheSettingsSaySo() {
        TestDirectory directory = directory();
        directory.user("alice", PASSWORD, "employeeNumber", "4711");
        directory.user("bob", PASSWORD);
        subjectAttribute = "employeeNumber";
        LdapDirectory logins = login();

        assertThat(get(logins, "alice", PASSWORD).subject()).isEqualTo("4711");
        assertThat(get(logins, "bob", PASSWORD)).isNull();
        assertThat(refused("subject")).isEqualTo(1);
    }

    @Test
    void caseOfNamesIsThatOfTheUserOrLower() {
        directory().user("Alice", PASSWORD);

        assertThat(get(login(), "ALICE", PASSWORD).name()).isEqualTo("ldap:ALICE");
        isCaseSensitive = false;
        assertThat(get(login(), "ALICE", PASSWORD).name()).isEqualTo("ldap:alice");
    }

    @Test
    void attributesAndDnsOfGroupsGiveRolesToo() {
        TestDirectory directory = directory();
        String alice = directory.user("alice", PASSWORD, "departmentNumber", "42");
        String group = directory.group("lunch", alice);
        rules = List.of("departmentNumber=42 -> ANSWERS", "groupDn=" + group + " -> LUNCH", "uid=bob -> BOB");

        assertThat(roles(login(), "alice")).containsExactlyInAnyOrder("ANSWERS", "LUNCH");
    }

    @Test
    void groupsInGroupsCountOnlyIfTheSettingsSaySo() {
        TestDirectory directory = directory();
        String alice = directory.user("alice", PASSWORD);
        String inner = directory.group("inner", alice);
        String middle = directory.group("middle", inner);
        directory.group("platform", middle);

        assertThat(roles(login(), "alice")).isEmpty();
        nesting = Nesting.SEARCH;
        assertThat(roles(login(), "alice")).containsExactly("ROLE_ADMIN");
        nesting = Nesting.ACTIVE_DIRECTORY;
        assertThat(roles(login(), "alice")).containsExactly("ROLE_ADMIN");
        assertThat(directory.filters()).contains("(member:1.2.840.113556.1.4.1941:=" + alice + ')');
    }

    @Test
    void groupsThatContainEachOtherAndDeepOnesEnd() {
        TestDirectory directory = directory();
        String alice = directory.user("alice", PASSWORD);
        String one = "cn=one," + TestDirectory.GROUPS;
        String two = directory.group("two", one);
        directory.group("one", alice, two);
        String deep = two;
        for (int i = 0; i < 20; i++) {
            deep = directory.group(i == 19 ? "platform" : "deep-" + i, deep);
        }
        nesting = Nesting.SEARCH;

        assertThat(roles(login(), "alice")).isEmpty();
        assertThat(directory.filters().stream().filter(filter -> filter.startsWith("(member")))
                .hasSizeLessThan(15);
    }

    @Test
    void groupsByNamesInsteadOfDns() {
        TestDirectory directory = directory();
        directory.user("alice", PASSWORD);
        directory.group("team-posix", "alice");
        groupFilter = "(member={1})";

        assertThat(roles(login(), "alice")).containsExactly("DEV");
    }

    @Test
    void aLoginKeepsTheRolesOfTheRulesThatTheServerStillHas() {
        TestDirectory directory = directory();
        String alice = directory.user("alice", PASSWORD);
        directory.group("team-orders", alice);
        directory.group("platform", alice);
        IssuedLogin login = get(login(), "alice", PASSWORD);
        rules = List.of("groups=team-* -> DEV");

        assertThat(login().present(login, 1).roles()).containsExactly("DEV");
        rules = List.of("groups=team-* -> OPS");
        assertThat(login().present(login, 1).roles()).isEmpty();
        assertThat(login().present(new IssuedLogin("https://idp", "x", "oidc:x", login.rules()), 1))
                .isNull();
    }

    @Test
    void searchesWithoutAnAccount() {
        directory().user("alice", PASSWORD);
        search = null;

        assertThat(get(login(), "alice", PASSWORD)).isNotNull();
    }

    @Test
    void encryptsWithStartTlsAndTrustsTheAuthorityOfTheFirm() {
        TestAuthority authority = new TestAuthority("the firm");
        TestDirectory directory = closed(TestDirectory.withStartTls(authority.context(authority.server())));
        directory.user("alice", PASSWORD);
        urls = List.of(directory.url());
        startTls = true;
        trusted = authority.writeTo(folder.resolve("ca.pem"));

        assertThat(get(login(), "alice", PASSWORD)).isNotNull();
        trusted = new TestAuthority("another").writeTo(folder.resolve("other.pem"));
        assertAway(login(), "PKIX path building failed");
        trusted = null;
        assertAway(login(), "cairn.auth.ldap.trusted-certificates");
    }

    @Test
    void startTlsIsNeverLeftOut() {
        directory().user("alice", PASSWORD);
        startTls = true;

        assertAway(login(), "");
        assertThat(meters.get("cairn.logins").tag("source", "ldap").counter().count())
                .isZero();
    }

    @Test
    void connectsWithTlsAndTrustsTheAuthorityOfTheFirm() {
        TestAuthority authority = new TestAuthority("the firm");
        TestDirectory directory = closed(TestDirectory.ldaps(authority.context(authority.server())));
        directory.user("alice", PASSWORD);
        urls = List.of(directory.url());
        trusted = authority.writeTo(folder.resolve("ca.pem"));

        assertThat(get(login(), "alice", PASSWORD)).isNotNull();
        trusted = new TestAuthority("another").writeTo(folder.resolve("other.pem"));
        assertAway(login(), "PKIX path building failed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCertificateOfAnotherHostIsRefused(boolean isStartTls) {
        TestAuthority authority = new TestAuthority("the firm");
        SSLContext other = authority.context(authority.client("CN=elsewhere", "ldap://elsewhere"));
        TestDirectory directory = closed(isStartTls ? TestDirectory.withStartTls(other) : TestDirectory.ldaps(other));
        directory.user("alice", PASSWORD);
        urls = List.of(directory.url());
        startTls = isStartTls;
        trusted = authority.writeTo(folder.resolve("ca.pem"));

        assertAway(login(), "");
        assertThat(directory.binds()).isZero();
    }

    private static void assertAway(LdapDirectory logins, String cause) {
        assertThatThrownBy(() -> get(logins, "alice", PASSWORD))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.UNAVAILABLE));
        assertThat(logins.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.kind()).isEqualTo(Finding.Kind.DIRECTORY_AWAY);
            assertThat(finding.urgent()).isTrue();
            assertThat(finding.detail()).contains(cause);
            assertThat(finding.since()).isPositive();
        });
    }

    @Test
    void aRefusedSearchAccountIsAFinding() {
        directory().user("alice", PASSWORD);
        search = new Account(TestDirectory.SEARCH_DN, "outdated");

        assertAway(login(), "the search account '" + TestDirectory.SEARCH_DN + "' is refused");
        assertThat(refused("away")).isEqualTo(1);
    }

    @Test
    void anotherServerIsAskedWhenOneIsAway() {
        TestDirectory first = closed(TestDirectory.start());
        TestDirectory second = closed(TestDirectory.start());
        for (TestDirectory each : List.of(first, second)) {
            each.user("alice", PASSWORD);
        }
        urls = List.of(first.url(), second.url());
        LdapDirectory logins = login();
        assertThat(get(logins, "alice", PASSWORD)).isNotNull();
        assertThat(second.binds()).isZero();
        assertThat(logins.findings()).isEmpty();

        first.away();
        assertThat(get(logins, "alice", PASSWORD)).isNotNull();
        assertThat(logins.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.subject()).isEqualTo(first.url());
            assertThat(finding.urgent()).isFalse();
        });

        first.open();
        int before = first.binds();
        assertThat(get(logins, "alice", PASSWORD)).isNotNull();
        assertThat(first.binds())
                .as("a server that has just failed is asked last")
                .isEqualTo(before);
        nanos.addAndGet(LdapServer.REST.toNanos());
        assertThat(get(logins, "alice", PASSWORD)).isNotNull();
        assertThat(first.binds()).isGreaterThan(before);
        assertThat(logins.findings()).isEmpty();
    }

    @Test
    void theCheckOfTheStartFindsWhatIsWrong() {
        directory();
        search = new Account(TestDirectory.SEARCH_DN, "outdated");
        LdapDirectory logins = login();

        logins.start();

        await().untilAsserted(() -> assertThat(logins.findings()).hasSize(1));
    }

    @Test
    void referencesToOtherServersAreNotFollowed() {
        TestDirectory directory = directory();
        TestDirectory other = closed(TestDirectory.start());
        String alice = directory.user("alice", PASSWORD);
        directory.group("team-orders", alice);
        other.user("mallory", PASSWORD);
        directory.refer(other.url() + '/' + TestDirectory.BASE);
        LdapDirectory logins = login();

        assertThat(roles(logins, "alice")).containsExactly("DEV");
        assertThat(get(logins, "mallory", PASSWORD)).isNull();
        assertThat(other.binds()).isZero();
        assertThat(other.filters()).isEmpty();
    }

    @Test
    void aServerThatNeverAnswersEndsAfterTheTimeLimit() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            urls = List.of("ldap://127.0.0.1:" + silent.getLocalPort());
            readTimeout = Duration.ofMillis(300);

            assertAway(login(), "no answer came in time");
            startTls = true;
            assertAway(login(), "timed out");
        }
    }

    @Test
    void aServerThatIsSilentInsideTheHandshakeEndsAfterTheTimeLimit() throws IOException {
        byte[] accepted = {0x30, 12, 2, 1, 1, 0x78, 7, 10, 1, 0, 4, 0, 4, 0};
        try (ServerSocket silent = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Socket> connected = CompletableFuture.supplyAsync(() -> {
                try {
                    Socket socket = silent.accept();
                    socket.getInputStream().read(new byte[1024]);
                    socket.getOutputStream().write(accepted);
                    return socket;
                } catch (IOException e) {
                    throw new CompletionException(e);
                }
            });
            urls = List.of("ldap://127.0.0.1:" + silent.getLocalPort());
            readTimeout = Duration.ofMillis(300);
            startTls = true;

            assertAway(login(), "");
            connected.join().close();
        }
    }

    @Test
    void tooManyLoginsAtAHangingDirectoryAreRefusedAtOnce() {
        TestDirectory directory = directory();
        directory.user("alice", PASSWORD);
        maxBinds = 1;
        LdapDirectory logins = login();
        directory.hang();
        CompletableFuture<IssuedLogin> first = logins.login("alice", PASSWORD).toCompletableFuture();
        await().untilAsserted(() -> assertThat(directory.hanging()).isEqualTo(1));
        List<CompletableFuture<IssuedLogin>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(logins.login("alice", PASSWORD).toCompletableFuture());
        }

        CompletableFuture<IssuedLogin> excess = logins.login("alice", PASSWORD).toCompletableFuture();

        assertThat(excess).isCompletedExceptionally();
        assertThatThrownBy(excess::join).cause().isInstanceOfSatisfying(CairnException.class, failure -> assertThat(
                        failure.code())
                .isEqualTo(ErrorCode.BUSY));
        assertThat(refused("busy")).isEqualTo(1);
        assertThat(directory.hanging()).isEqualTo(1);
        directory.answer();
        assertThat(first.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .isNotNull();
        assertThat(waiting.get(3)
                        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join())
                .isNotNull();
    }

    @Test
    void aLoginThatHasWaitedForTooLongIsNotBegun() {
        TestDirectory directory = directory();
        directory.user("alice", PASSWORD);
        maxBinds = 1;
        LdapDirectory logins = login();
        directory.hang();
        logins.login("alice", PASSWORD);
        await().untilAsserted(() -> assertThat(directory.hanging()).isEqualTo(1));
        CompletableFuture<IssuedLogin> late = logins.login("alice", PASSWORD).toCompletableFuture();
        nanos.addAndGet(Duration.ofSeconds(11).toNanos());

        directory.answer();

        assertThatThrownBy(() ->
                        late.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join())
                .hasMessageContaining("The directory does not answer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://x", "ldap:///", "host:389", "ldaps://host/dc=example", "ldap://a b"})
    void otherAddressesAreRefused(String url) {
        assertThatThrownBy(() -> DirectorySettings.server(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("url: '" + url + "'");
    }

    @Test
    void addressesGetTheirPort() {
        assertThat(DirectorySettings.server("ldaps://dc1.example")).isEqualTo(URI.create("ldaps://dc1.example:636"));
        assertThat(DirectorySettings.server("ldap://dc1.example/")).isEqualTo(URI.create("ldap://dc1.example:389"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"groups=* -> DEV", "objectclass=person -> ROLE_ADMIN", "groups -> DEV"})
    void rulesThatWouldMatchEveryUserAreRefused(String rule) {
        directory();
        rules = List.of(rule);

        assertThatThrownBy(this::login)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(rule);
    }
}
