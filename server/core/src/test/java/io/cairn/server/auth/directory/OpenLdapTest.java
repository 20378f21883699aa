package io.cairn.server.auth.directory;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.auth.IssuedLogin;
import io.cairn.server.auth.directory.DirectorySettings.Account;
import io.cairn.server.auth.directory.DirectorySettings.Groups;
import io.cairn.server.auth.directory.DirectorySettings.Nesting;
import io.cairn.server.testing.TestAuthority;
import io.cairn.testing.ReservedPorts;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.HashedWheelTimer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real OpenLDAP, which accepts passwords over TLS alone. It is that of the package {@code slapd} of Debian, installed or unpacked
 * into the folder of the system property {@code cairn.test.slapd}.
 */
class OpenLdapTest {

    private static final Path ROOT = Path.of(System.getProperty("cairn.test.slapd", "/"));
    private static final String BASE = "dc=example,dc=org";
    private static final String STORE_PASSWORD = "of-the-key-store";
    private static final String SEARCH = "cn=cairn," + BASE;

    @TempDir
    Path folder;

    private final int port = ReservedPorts.one();
    private final HashedWheelTimer timer = new HashedWheelTimer();
    private Process slapd;
    private LdapDirectory logins;

    @BeforeEach
    void start() throws Exception {
        assumeThat(ROOT.resolve("usr/sbin/slapd"))
                .as("OpenLDAP (apt-get install slapd, or -Dcairn.test.slapd=folder)")
                .isExecutable();
        Path trusted = folder.resolve("server.pem");
        certificate().write(trusted, folder.resolve("server.key"));
        Files.createDirectory(folder.resolve("db"));
        Path settings = Files.write(folder.resolve("slapd.conf"), settings());
        Path entries = Files.write(folder.resolve("entries.ldif"), entries());
        Process added = run("-T", "add", "-f", settings.toString(), "-l", entries.toString());
        assertThat(added.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(added.exitValue())
                .as(Files.readString(folder.resolve("slapd.log")))
                .isZero();
        slapd = run("-d", "0", "-f", settings.toString(), "-h", "ldap://127.0.0.1:" + port);
        await().ignoreExceptions().until(() -> {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            return true;
        });
        logins = new LdapDirectory(
                new DirectorySettings(
                        List.of(DirectorySettings.server("ldap://127.0.0.1:" + port)),
                        true,
                        trusted,
                        Duration.ofSeconds(20),
                        Duration.ofSeconds(20),
                        2,
                        DirectorySettings.name("base", "ou=people," + BASE),
                        new Account(SEARCH, "search-password"),
                        "uid",
                        true,
                        "entryUUID",
                        new Groups(
                                DirectorySettings.name("base", "ou=groups," + BASE),
                                "(|(member={0})(memberUid={1}))",
                                "cn",
                                Nesting.SEARCH),
                        List.of("groups=outer -> OUTER", "groups=unix -> UNIX")),
                timer,
                Clock.systemUTC(),
                System::nanoTime,
                new SimpleMeterRegistry());
    }

    @AfterEach
    void stop() throws InterruptedException {
        if (logins != null) {
            logins.close();
        }
        timer.stop();
        if (slapd != null) {
            slapd.destroy();
            assertThat(slapd.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
    }

    /** With an RSA key: GnuTLS, with which Debian builds OpenLDAP, does not read Java's keys of elliptic curves. */
    private TestAuthority.Issued certificate() throws Exception {
        Path store = folder.resolve("server.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        STORE_PASSWORD,
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        KeyStore keys = KeyStore.getInstance(store.toFile(), STORE_PASSWORD.toCharArray());
        return new TestAuthority.Issued((X509Certificate) keys.getCertificate("server"), (PrivateKey)
                keys.getKey("server", STORE_PASSWORD.toCharArray()));
    }

    private Process run(String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(List.of(ROOT.resolve("usr/sbin/slapd").toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("slapd.log").toFile()));
        builder.environment()
                .put("LD_LIBRARY_PATH", ROOT.resolve("usr/lib/x86_64-linux-gnu").toString());
        return builder.start();
    }

    private List<String> settings() {
        Path schema = ROOT.resolve("etc/ldap/schema");
        return List.of(
                "include " + schema.resolve("core.schema"),
                "include " + schema.resolve("cosine.schema"),
                "include " + schema.resolve("nis.schema"),
                "include " + schema.resolve("inetorgperson.schema"),
                "modulepath " + ROOT.resolve("usr/lib/ldap"),
                "moduleload back_mdb",
                "pidfile " + folder.resolve("slapd.pid"),
                "TLSCertificateFile " + folder.resolve("server.pem"),
                "TLSCertificateKeyFile " + folder.resolve("server.key"),
                "security simple_bind=128",
                "database mdb",
                "suffix \"" + BASE + '"',
                "directory " + folder.resolve("db"));
    }

    private static List<String> entries() {
        return List.of(
                "dn: " + BASE + "\nobjectClass: dcObject\nobjectClass: organization\no: Firm\ndc: example\n",
                "dn: ou=people," + BASE + "\nobjectClass: organizationalUnit\nou: people\n",
                "dn: ou=groups," + BASE + "\nobjectClass: organizationalUnit\nou: groups\n",
                "dn: " + SEARCH
                        + "\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: cairn\n"
                        + "userPassword: search-password\n",
                "dn: uid=alice,ou=people," + BASE
                        + "\nobjectClass: inetOrgPerson\nuid: alice\ncn: Alice\nsn: A\nuserPassword: right-password\n",
                "dn: uid=bob,ou=people," + BASE + "\nobjectClass: inetOrgPerson\nuid: bob\ncn: Bob\nsn: B\n",
                "dn: cn=inner,ou=groups," + BASE
                        + "\nobjectClass: groupOfNames\ncn: inner\nmember: uid=alice,ou=people," + BASE + '\n',
                "dn: cn=outer,ou=groups," + BASE + "\nobjectClass: groupOfNames\ncn: outer\nmember: cn=inner,ou=groups,"
                        + BASE + '\n',
                "dn: cn=unix,ou=groups," + BASE
                        + "\nobjectClass: posixGroup\ncn: unix\ngidNumber: 4711\nmemberUid: alice\n");
    }

    private IssuedLogin get(String name, String password) {
        return logins.login(name, password)
                .toCompletableFuture()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    @Test
    void usersLogInOverStartTlsWithTheirGroups() {
        IssuedLogin alice = get("alice", "right-password");

        assertThat(alice).isNotNull();
        assertThat(alice.subject()).matches("[0-9a-f-]{36}");
        assertThat(logins.present(alice, 1).roles()).containsExactlyInAnyOrder("OUTER", "UNIX");
        assertThat(get("alice", "wrong-password")).isNull();
        assertThat(get("alice", "")).isNull();
        assertThat(get("bob", "any-password")).as("has no password").isNull();
        assertThat(get("alice)(uid=*", "right-password")).isNull();
        assertThat(logins.findings()).isEmpty();
    }
}
