package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.cli.CairnCommandIT.Answer;
import io.cairn.server.CairnServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists that are longer than a page, things to delete that are not there, and the words of refusals. */
@Tag("full")
class ListsAndDeletesIT {

    /** More than two pages of what the command asks for at once. */
    private static final int MANY = 10_203;

    private static final int OF_ONE_ARCHIVE = 6000;

    @TempDir
    static Path home;

    private static CairnServer server;
    private static String password;

    @BeforeAll
    static void start() throws Exception {
        server = CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("server.address", "127.0.0.1")
                .setting("nacos.core.auth.enabled", "true")
                .start();
        Path changed = Files.writeString(home.resolve("password"), "a-new-pass\n");
        password = home.resolve("data/auth/initial-admin-password").toString();
        done(cairnReading("a-new-pass", "user", "password", "nacos", "--new-password-file", "-"));
        password = changed.toString();
        importConfigs(0, OF_ONE_ARCHIVE);
        importConfigs(OF_ONE_ARCHIVE, MANY);
    }

    private static void importConfigs(int from, int to) throws Exception {
        Path archive = home.resolve("many-" + from + ".zip");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(archive))) {
            for (int i = from; i < to; i++) {
                zip.putNextEntry(new ZipEntry("G/many-" + i));
                zip.write("a".getBytes(StandardCharsets.UTF_8));
            }
        }
        done(cairn("config", "import", archive.toString()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Answer cairn(String... words) {
        return cairnReading("", words);
    }

    private static Answer cairnReading(String input, String... words) {
        return CairnCommandIT.run(
                Map.of("CAIRN_SERVER", server.address()),
                input,
                Stream.concat(Stream.of("-u", "nacos", "--password-file", password), Stream.of(words))
                        .toArray(String[]::new));
    }

    private static String done(Answer answer) {
        assertThat(answer.status()).as(answer.toString()).isZero();
        return answer.out();
    }

    @Test
    void aListHasEveryItem() {
        Answer all = cairn("config", "list", "-g", "G");
        assertThat(done(all).lines().skip(1).distinct()).hasSize(MANY);
        assertThat(all.err()).isEmpty();
        assertThat(Json.items(Json.read(done(cairn("config", "list", "many-*", "--json")))))
                .hasSize(MANY);
        assertThat(done(cairn("config", "search", "a")).lines().skip(1)).hasSize(MANY);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4999, 5001, 10_202})
    void aTruncatedListReportsIt(int limit) {
        Answer cut = cairn("config", "list", "--limit", Integer.toString(limit));

        assertThat(done(cut).lines().skip(1)).hasSize(limit);
        assertThat(cut.err()).isEqualTo("cairn: " + limit + " of " + MANY + " are shown (--limit)\n");
    }

    @Test
    void aLimitThatIsNotReachedIsNotReported() {
        assertThat(cairn("config", "list", "--limit", Integer.toString(MANY)).err())
                .isEmpty();
        assertThat(cairn("config", "list", "--limit", "0")).satisfies(refused -> {
            assertThat(refused.status()).isEqualTo(2);
            assertThat(refused.err()).startsWith("cairn: --limit: 0 (expected: at least 1)");
        });
        Answer records = cairn("audit", "--limit", "1");
        assertThat(done(records).lines().skip(1)).hasSize(1);
        assertThat(records.err()).startsWith("cairn: 1 of ");
    }

    @Test
    void doesNotReportAMissingObjectAsDeleted() {
        Map<List<String>, String> absent = Map.of(
                List.of("config", "delete", "nope"),
                "configuration DEFAULT_GROUP/nope",
                List.of("config", "delete", "many-1", "-n", "elsewhere"),
                "configuration DEFAULT_GROUP/many-1",
                List.of("namespace", "delete", "nope"),
                "namespace nope",
                List.of("user", "delete", "nope"),
                "user nope",
                List.of("role", "delete", "nope"),
                "role nope",
                List.of("user", "revoke", "nacos", "nope"),
                "role nope of user nacos",
                List.of("permission", "revoke", "nope", "public:*:config/*", "r"),
                "right r public:*:config/* of role nope");
        absent.forEach((words, what) -> assertThat(cairn(words.toArray(String[]::new)))
                .as(what)
                .isEqualTo(new Answer(
                        1,
                        "",
                        "cairn: there is no " + what
                                + (words.contains("elsewhere")
                                        ? "; there is no namespace 'elsewhere' ('cairn namespace list' shows those that exist)"
                                        : "")
                                + "\n")));
        assertThat(cairn("namespace", "delete", "public").err()).contains("cannot be deleted");
        assertThat(cairn("token", "revoke", "nope"))
                .isEqualTo(new Answer(1, "", "cairn: token nope does not exist or is revoked already\n"));
    }

    @Test
    void deletesExistingObjects() {
        done(cairn("namespace", "create", "brief"));
        done(cairnReading("secret-1", "user", "create", "ann", "--new-password-file", "-"));
        done(cairn("user", "grant", "ann", "readers"));
        done(cairn("permission", "grant", "readers", "public:*:config/*", "r"));

        assertThat(done(cairn("permission", "revoke", "readers", "public:*:config/*", "r")))
                .isEqualTo("Revoked right r public:*:config/* of readers\n");
        assertThat(done(cairn("user", "revoke", "ann", "readers"))).isEqualTo("Revoked role readers of ann\n");
        done(cairn("user", "grant", "ann", "readers"));
        assertThat(done(cairn("role", "delete", "readers"))).isEqualTo("Deleted role readers\n");
        assertThat(done(cairn("user", "delete", "ann"))).isEqualTo("Deleted user ann\n");
        assertThat(done(cairn("namespace", "delete", "brief"))).isEqualTo("Deleted namespace brief\n");
    }

    @Test
    void aRefusalNamesOptionsAndNotParameters() throws Exception {
        Path backup = home.resolve("backup.zip");
        done(cairn("backup", backup.toString()));

        assertThat(cairn("restore", backup.toString()).err())
                .contains("or --overwrite to have")
                .doesNotContain("overwrite=true");
        assertThat(cairn("token", "create", "t", "--scope", "r public:*:config/*", "--ttl", "5000000000")
                        .err())
                .isEqualTo("cairn: --ttl: '5000000000' (expected: a whole number)\n");
        assertThat(cairn("permission", "grant", "r", "bad", "r").err()).startsWith("cairn: RESOURCE: 'bad'");
        assertThat(cairn("namespace", "create", "bad id!").err())
                .isEqualTo("cairn: ID [bad id!] mismatch the pattern\n");
        assertThat(cairn("config", "get", "many-1", "-g", "bad group!").err())
                .contains("--group")
                .doesNotContain("groupName");
        assertThat(cairn("restore", home.toString()).err())
                .isEqualTo("cairn: " + home + ": a folder (expected: a file)\n");
    }

    @Test
    void printsTheVersion() {
        assertThat(cairn("--version").out()).matches("cairn \\S.*, Java " + System.getProperty("java.version") + "\\n");
    }
}
