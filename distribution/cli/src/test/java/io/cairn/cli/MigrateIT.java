package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.cli.migrate.ConfigPass;
import io.cairn.cli.migrate.ConfigPlan;
import io.cairn.cli.migrate.ConfigState;
import io.cairn.cli.migrate.ConfigStore;
import io.cairn.cli.migrate.ConflictRule;
import io.cairn.cli.migrate.Decision;
import io.cairn.cli.migrate.GrayRelease;
import io.cairn.cli.migrate.Journal;
import io.cairn.cli.migrate.Pace;
import io.cairn.cli.migrate.Report;
import io.cairn.server.CairnServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Migrations between two servers, over the API of version 1 (Nacos 1.4 and 2.x) and that of version 3. */
class MigrateIT {

    private static CairnServer source;
    private static CairnServer target;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        source = CairnServer.builder().temporary().start();
        target = CairnServer.builder().temporary().start();
    }

    @AfterAll
    static void stop() {
        source.close();
        target.close();
    }

    private static CairnCommandIT.Answer on(CairnServer server, String input, String... words) {
        return CairnCommandIT.run(Map.of("CAIRN_SERVER", server.address()), input, words);
    }

    private CairnCommandIT.Answer migrate(String... words) {
        String[] all = new String[words.length + 5];
        all[0] = "migrate";
        all[1] = "--from";
        all[2] = source.address();
        all[3] = "--journal";
        all[4] = folder.resolve("journal").toString();
        System.arraycopy(words, 0, all, 5, words.length);
        return on(target, "", all);
    }

    private static String done(CairnCommandIT.Answer answer) {
        assertThat(answer.status()).as(answer.toString()).isZero();
        return answer.out();
    }

    @Test
    void carriesNamespacesAndConfigurationsAndSaysWhatItDid() {
        done(on(source, "", "namespace", "create", "shop", "The shop"));
        done(on(
                source,
                "a: 1",
                "-n",
                "shop",
                "config",
                "publish",
                "a.yaml",
                "--type",
                "yaml",
                "--description",
                "about",
                "--tags",
                "t2,t1",
                "--app",
                "orders"));
        done(on(source, "b: 1", "-n", "shop", "config", "publish", "b.yaml"));

        assertThat(done(migrate("--namespaces", "shop", "--dry-run")))
                .contains(
                        "would be created namespace shop", "would be created shop/DEFAULT_GROUP/a.yaml", "created: 3;");
        assertThat(done(on(target, "", "namespace", "list"))).doesNotContain("shop");

        assertThat(done(migrate("--namespaces", "shop")))
                .contains("created shop/DEFAULT_GROUP/a.yaml: at the target, new at the source", "created: 3;")
                .contains("Not carried:", "- the history");
        assertThat(done(on(target, "", "namespace", "list"))).contains("The shop");
        assertThat(done(on(target, "", "-n", "shop", "config", "get", "a.yaml")))
                .isEqualTo("a: 1");
        assertThat(done(migrate("--namespaces", "shop"))).contains("created: 0;", "same: 2");

        // Changed at both sides, and deleted at the source.
        done(on(source, "a: 2", "-n", "shop", "config", "publish", "a.yaml"));
        done(on(target, "a: 3", "-n", "shop", "config", "publish", "a.yaml"));
        done(on(source, "", "-n", "shop", "config", "delete", "b.yaml"));
        CairnCommandIT.Answer conflict = migrate("--namespaces", "shop");
        assertThat(conflict.status()).isOne();
        assertThat(conflict.out())
                .contains(
                        "conflict shop/DEFAULT_GROUP/a.yaml: changed at both sides",
                        "deleted shop/DEFAULT_GROUP/b.yaml");
        assertThat(done(on(target, "", "-n", "shop", "config", "get", "a.yaml")))
                .isEqualTo("a: 3");

        assertThat(done(migrate("--namespaces", "shop", "--conflicts", "source")))
                .contains("updated shop/DEFAULT_GROUP/a.yaml", "the source wins by --conflicts");
        assertThat(done(on(target, "", "-n", "shop", "config", "get", "a.yaml")))
                .isEqualTo("a: 2");
        assertThat(on(target, "", "-n", "shop", "config", "get", "b.yaml").status())
                .isOne();
    }

    @Test
    void carriesReleasesByRulesOfCairn() {
        done(on(source, "", "namespace", "create", "staged", "Staged"));
        done(on(source, "a: 1", "-n", "staged", "config", "publish", "a.yaml"));
        done(on(
                source,
                "a: 2",
                "-n",
                "staged",
                "gray",
                "publish",
                "a.yaml",
                "--name",
                "canary",
                "--labels",
                "zone in (a, b)",
                "--priority",
                "7"));
        done(migrate("--namespaces", "staged"));
        ConfigKey key = new ConfigKey(new Namespace("staged"), "DEFAULT_GROUP", "a.yaml");
        ConfigStore atTarget = bridge(target).configs(List.of());
        assertThat(atTarget.read(key).orElseThrow().grays())
                .containsExactly(new GrayRelease("label", "canary", "zone in (a, b)", 7, "a: 2"));

        done(on(source, "", "-n", "staged", "gray", "remove", "a.yaml", "--name", "canary"));
        done(migrate("--namespaces", "staged"));
        assertThat(atTarget.read(key).orElseThrow().grays()).isEmpty();
    }

    @Test
    void refusesWrongSides() {
        CairnCommandIT.Answer same = on(target, "", "migrate", "--from", target.address());
        assertThat(same.status()).isEqualTo(2);
        assertThat(same.err()).contains("both sides are");
        assertThat(migrate("--namespaces", "nowhere").err()).contains("there is no namespace 'nowhere' at http://");
        assertThat(migrate("--conflicts", "oldest").err())
                .contains("'oldest' (expected: ask, newest, source or target)");
        CairnCommandIT.Answer both = migrate("--follow", "--both-ways", "--cut-over");
        assertThat(both.status()).isEqualTo(2);
        assertThat(both.err()).contains("--cut-over excludes --both-ways");
        CairnCommandIT.Answer again = migrate("--follow", "--accounts", "passwords");
        assertThat(again.status()).isEqualTo(2);
        assertThat(again.err()).contains("--accounts excludes --follow");
        CairnCommandIT.Answer away = on(target, "", "migrate", "--from", "127.0.0.1:1");
        assertThat(away.status()).isOne();
        assertThat(away.err()).contains("no server answers at http://127.0.0.1:1/nacos", "by --from");
    }

    private static BridgeServer bridge(CairnServer server) {
        String base = "http://" + server.address() + "/nacos";
        return new BridgeServer("--from", () -> new Api(base, Duration.ofSeconds(30), null), new Pace(10_000));
    }

    private static ConfigStore store(CairnServer server, String version) {
        return version.equals("v1")
                ? new V1Configs(bridge(server), List.of("blue"))
                : new V3Configs(bridge(server), List.of("blue"));
    }

    @ParameterizedTest
    @CsvSource({"v1,v1", "v1,v3", "v3,v1", "v3,v3"})
    void carriesAllAttributesAndGrayReleases(String from, String to) {
        ConfigStore here = store(source, from);
        ConfigStore there = store(target, to);
        Namespace namespace = new Namespace("all-" + from + "-" + to);
        ConfigKey key = new ConfigKey(namespace, "G", "a:b-c_d.yaml");
        ConfigState state = new ConfigState(
                key,
                "a: ü\n",
                "yaml",
                "about it",
                "t2,t1",
                "orders",
                "key",
                List.of(
                        new GrayRelease(GrayRelease.BETA, "beta", "10.0.0.1,10.0.0.2", "a: beta"),
                        new GrayRelease(GrayRelease.TAG, "tag_blue", "blue", "a: blue")),
                true,
                0);
        assertThat(here.write(state, Optional.empty())).isTrue();
        assertThat(here.write(state, Optional.empty()))
                .as("not absent any more")
                .isFalse();

        Report report = new Report(decision -> {});
        ConfigPass pass =
                new ConfigPass(here, there, new ConfigPlan(false, ConflictRule.ASK), Journal.inMemory(), report, false);
        pass.all(namespace, true);
        assertThat(report.count(Decision.Outcome.CREATED)).isOne();
        ConfigState carried = there.read(key).orElseThrow();
        assertThat(carried.grays()).isEqualTo(state.grays());
        assertThat(carried.isSameAs(here.read(key).orElseThrow())).isTrue();
        assertThat(carried)
                .extracting(ConfigState::type, ConfigState::description, ConfigState::tags, ConfigState::application)
                .containsExactly("yaml", "about it", "t1,t2", "orders");
        pass.all(namespace, true);
        assertThat(report.same()).isOne();

        // An attribute that is cleared, and a release that has ended.
        ConfigState plain = new ConfigState(key, "a: 2", "yaml", "", "", "", "", List.of(), true, 0);
        assertThat(here.write(plain, here.read(key))).isTrue();
        pass.all(namespace, false);
        ConfigState now = there.read(key).orElseThrow();
        assertThat(now.isSameAs(plain)).as(now.toString()).isTrue();

        Map<ConfigKey, String> known = new HashMap<>();
        here.list(namespace, known::put);
        assertThat(known).containsExactly(Map.entry(key, plain.md5()));
        known.put(key, "0".repeat(32));
        assertThat(here.awaitChange(known, Duration.ofSeconds(10))).containsExactly(key);
        here.delete(key);
        pass.all(namespace, false);
        assertThat(there.read(key)).isEmpty();
    }
}
