package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.error.CairnException;
import io.cairn.server.node.NodeTable;
import io.cairn.server.testing.LogWatch;
import io.cairn.server.testing.SettableClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemberWatchTest {

    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir
    Path conf;

    private final SettableClock clock = new SettableClock();
    private final List<List<MemberAddress>> seen = new CopyOnWriteArrayList<>();
    private final Map<String, List<InetAddress>> names = new HashMap<>();
    private Path file;

    @BeforeEach
    void nameTheFile() {
        file = conf.resolve("cluster.conf");
    }

    private MemberWatch watch() {
        return new MemberWatch(new MemberFile(file, 8848), this::resolve, known -> seen.add(known.named()), clock);
    }

    private List<InetAddress> resolve(String host) throws UnknownHostException {
        if (names.containsKey(host)) {
            return names.get(host);
        }
        if (host.endsWith(".example")) {
            throw new UnknownHostException(host);
        }
        return List.of(InetAddress.getByName(host));
    }

    private static List<MemberAddress> nodes(String... hosts) {
        return List.of(hosts).stream().map(host -> MemberAddress.of(host, 8848)).toList();
    }

    @Test
    void notifiesOfAChangedFileOnceAndNotOfAnEqualOne() throws Exception {
        Files.writeString(file, "10.0.0.1\n");
        try (MemberWatch watch = watch()) {
            watch.start(NEVER);
            assertThat(seen).containsExactly(nodes("10.0.0.1"));
            Files.writeString(file, "10.0.0.1 # with a comment\n");
            watch.refresh();
            assertThat(seen).hasSize(1);
            Files.writeString(file, "10.0.0.1\n10.0.0.2\n");
            watch.refresh();
            watch.refresh();
            assertThat(seen).containsExactly(nodes("10.0.0.1"), nodes("10.0.0.1", "10.0.0.2"));
            assertThat(watch.members().named()).isEqualTo(nodes("10.0.0.1", "10.0.0.2"));
        }
    }

    @Test
    void fileIsReadAgainInTheInterval() throws Exception {
        Files.writeString(file, "10.0.0.1\n");
        try (MemberWatch watch = watch()) {
            watch.start(Duration.ofMillis(5));
            Files.writeString(file, "10.0.0.2\n");
            await().untilAsserted(() -> assertThat(watch.members().named()).isEqualTo(nodes("10.0.0.2")));
        }
    }

    @Test
    void badLineIsLoggedOnceAndLeavesTheLastGoodList() throws Exception {
        Files.writeString(file, "10.0.0.1\n");
        try (MemberWatch watch = watch();
                LogWatch log = new LogWatch()) {
            watch.start(NEVER);
            Files.writeString(file, "10.0.0.2\n10.0.0.3:x\n");
            watch.refresh();
            watch.refresh();
            assertThat(watch.members().named()).isEqualTo(nodes("10.0.0.1"));
            assertThat(log.warningsOf(MemberWatch.class))
                    .singleElement()
                    .asString()
                    .startsWith(file + ", line 2: '10.0.0.3:x'")
                    .contains("1 nodes read before stay in use");
            clock.advance(Duration.ofMinutes(10));
            watch.refresh();
            assertThat(log.warningsOf(MemberWatch.class)).hasSize(2);

            Files.delete(file);
            watch.refresh();
            assertThat(log.warningsOf(MemberWatch.class))
                    .hasSize(3)
                    .last()
                    .asString()
                    .contains("is missing");
            assertThat(watch.members().named()).isEqualTo(nodes("10.0.0.1"));

            Files.writeString(file, "10.0.0.4\n");
            watch.refresh();
            assertThat(watch.members().named()).isEqualTo(nodes("10.0.0.4"));
            assertThat(log.takeAlarms()).isEmpty();
        }
    }

    @Test
    void nodeThatIsNotYetKnownByItsNameOrMovesIsNotifiedWithItsAddress() throws Exception {
        Files.writeString(file, "10.0.0.1\nnode-2.example\n");
        List<List<InetSocketAddress>> addresses = new CopyOnWriteArrayList<>();
        InetSocketAddress first = new InetSocketAddress("10.0.0.1", 9849);
        try (MemberWatch watch = new MemberWatch(
                        new MemberFile(file, 8848),
                        this::resolve,
                        known -> addresses.add(known.groupAddresses()),
                        clock);
                LogWatch log = new LogWatch()) {
            watch.start(NEVER);
            watch.refresh();
            assertThat(log.warningsOf(MemberWatch.class))
                    .singleElement()
                    .asString()
                    .contains("node-2.example:8848");
            names.put("node-2.example", List.of(InetAddress.getByName("10.0.0.2")));
            watch.refresh();
            names.put("node-2.example", List.of(InetAddress.getByName("10.0.0.4"), InetAddress.getByName("10.0.0.3")));
            watch.refresh();
            names.put("node-2.example", List.of(InetAddress.getByName("10.0.0.3"), InetAddress.getByName("10.0.0.4")));
            watch.refresh();
        }
        assertThat(addresses)
                .containsExactly(
                        List.of(first),
                        List.of(first, new InetSocketAddress("10.0.0.2", 9849)),
                        List.of(
                                first,
                                new InetSocketAddress("10.0.0.3", 9849),
                                new InetSocketAddress("10.0.0.4", 9849)));
    }

    @Test
    void badFileEndsTheStart() throws Exception {
        try (MemberWatch watch = watch()) {
            assertThatThrownBy(() -> watch.start(NEVER))
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("cluster.conf is missing");
        }
        Files.writeString(file, "10.0.0.1\n:\n");
        try (MemberWatch watch = watch()) {
            assertThatThrownBy(() -> watch.start(NEVER))
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("line 2");
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void retriesASourceThatIsUnavailableAtTheStart() {
        boolean[] away = {true};
        NodeTable table = new FixedNodeTable(() -> {
            if (away[0]) {
                throw new IllegalStateException("not there yet");
            }
            return List.of(FixedNodeTable.node("10.0.0.1:8848", 9849));
        });
        try (MemberWatch watch = new MemberWatch(
                new DatabaseLookup(table, 8848), this::resolve, known -> seen.add(known.named()), clock)) {
            watch.start(NEVER);
            assertThat(watch.members().named()).isEmpty();
            away[0] = false;
            watch.refresh();
            assertThat(watch.members().named()).isEqualTo(nodes("10.0.0.1"));
        }
    }

    @Test
    void changeThatTheListenerDidNotProcessIsNotifiedAgain() throws Exception {
        Files.writeString(file, "10.0.0.1\n");
        List<KnownMembers> calls = new CopyOnWriteArrayList<>();
        try (MemberWatch watch = new MemberWatch(
                new MemberFile(file, 8848),
                this::resolve,
                known -> {
                    calls.add(known);
                    if (calls.size() == 2) {
                        throw new IllegalStateException("busy");
                    }
                },
                clock)) {
            watch.start(NEVER);
            Files.writeString(file, "10.0.0.2\n");
            watch.refresh();
            watch.refresh();
            watch.refresh();
        }
        assertThat(calls)
                .extracting(KnownMembers::named)
                .containsExactly(nodes("10.0.0.1"), nodes("10.0.0.2"), nodes("10.0.0.2"));
    }

    @Test
    void closedWatchNotifiesNoListenerAndCannotBeUsedAgain() throws IOException {
        Files.writeString(file, "10.0.0.1\n");
        MemberWatch watch = watch();
        watch.start(NEVER);
        assertThatThrownBy(() -> watch.start(NEVER)).isInstanceOf(IllegalStateException.class);
        watch.close();
        watch.close();
        Files.writeString(file, "10.0.0.2\n");
        watch.refresh();
        assertThat(seen).containsExactly(nodes("10.0.0.1"));
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .doesNotContain("cairn-members"));
    }
}
