package io.cairn.server.xds.stream;

import static io.cairn.server.xds.resource.XdsType.CDS;
import static io.cairn.server.xds.resource.XdsType.EDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Clients that subscribe to all clusters, where there are more than one client may get. */
class ClusterLimitTest {

    private final FakeMesh mesh = new FakeMesh(3);

    ClusterLimitTest() {
        mesh.set(CDS, "1", "b", "c", "d").set(EDS, "1", "b", "c", "d");
    }

    private TestStream connectedSotw() {
        TestStream client = mesh.sotw();
        client.ask(CDS, "");
        Frames.Response first = client.only();
        assertThat(first.resources()).containsOnlyKeys("b", "c", "d");
        client.ack(first);
        return client;
    }

    private TestStream connectedDelta() {
        TestStream client = mesh.delta();
        client.subscribe(CDS);
        Frames.Response first = client.only();
        assertThat(first.resources()).containsOnlyKeys("b", "c", "d");
        client.ackDelta(first);
        return client;
    }

    private Set<String> clustersOfFreshClient() {
        TestStream fresh = mesh.sotw();
        fresh.ask(CDS, "");
        assertThat(fresh.call.status).isNull();
        return fresh.only().resources().keySet();
    }

    @Test
    void clusterBeyondTheLimitEndsNoStream() {
        TestStream sotw = connectedSotw();
        TestStream delta = connectedDelta();
        mesh.set(CDS, "1", "e").publish();
        assertThat(sotw.call.status).isNull();
        assertThat(delta.call.status).isNull();
        assertThat(sotw.received()).isEmpty();
        assertThat(delta.received()).isEmpty();
        assertThat(clustersOfFreshClient()).containsExactlyInAnyOrder("b", "c", "d");
    }

    @Test
    void connectedClientKeepsWhatItHasAndFreshOneGetsTheFirstByName() {
        TestStream sotw = connectedSotw();
        TestStream delta = connectedDelta();
        mesh.set(CDS, "1", "a").publish();
        Frames.Response all = sotw.only();
        assertThat(all.resources()).containsOnlyKeys("a", "b", "c", "d");
        sotw.ack(all);
        Frames.Response added = delta.only();
        assertThat(added.resources()).containsOnlyKeys("a");
        assertThat(added.removed()).isEmpty();
        delta.ackDelta(added);
        assertThat(clustersOfFreshClient()).containsExactlyInAnyOrder("a", "b", "c");

        mesh.set(CDS, "2", "d").publish();
        all = sotw.only();
        assertThat(all.resources()).containsEntry("d", "2").hasSize(4);
        sotw.ack(all);
        Frames.Response changed = delta.only();
        assertThat(changed.resources()).containsOnlyKeys("d");
        delta.ackDelta(changed);

        mesh.remove(CDS, "d").publish();
        assertThat(sotw.only().resources()).containsOnlyKeys("a", "b", "c");
        assertThat(delta.only().removed()).containsExactly("d");
    }

    @Test
    void endpointsOfAClusterThatIsKeptGoOnBeingUpdated() {
        TestStream delta = connectedDelta();
        delta.subscribe(EDS, "b", "c", "d");
        delta.ackDelta(delta.only());
        mesh.set(CDS, "1", "a").publish();
        delta.ackDelta(delta.only());
        mesh.set(EDS, "2", "d").publish();
        assertThat(delta.only().resources()).containsOnlyKeys("d");
    }

    @Test
    void clusterThatMovesWithinTheLimitReachesAllClients() {
        TestStream sotw = connectedSotw();
        TestStream delta = connectedDelta();
        mesh.set(CDS, "1", "e").publish();
        mesh.remove(CDS, "b").publish();
        assertThat(sotw.only().resources()).containsOnlyKeys("c", "d", "e");
        Frames.Response change = delta.only();
        assertThat(change.resources()).containsOnlyKeys("e");
        assertThat(change.removed()).containsExactly("b");
        assertThat(clustersOfFreshClient()).containsExactlyInAnyOrder("c", "d", "e");
    }

    @Test
    void changeOfAClusterBeyondTheLimitReachesNoClientThatLacksIt() {
        TestStream sotw = connectedSotw();
        TestStream delta = connectedDelta();
        mesh.set(CDS, "1", "e").publish();
        mesh.set(CDS, "2", "e").publish();
        mesh.remove(CDS, "e").publish();
        assertThat(sotw.received()).isEmpty();
        assertThat(delta.received()).isEmpty();
    }

    @Test
    void clusterThatARouteNamesComesBeforeTheOthers() {
        mesh.routed.add("z");
        mesh.set(CDS, "1", "z").publish();
        assertThat(clustersOfFreshClient()).containsExactlyInAnyOrder("b", "c", "z");
    }

    @Test
    void clientThatNamesAClusterBeyondTheLimitGetsIt() {
        mesh.set(CDS, "1", "e").publish();
        TestStream client = mesh.delta();
        client.subscribe(CDS, "*", "e");
        assertThat(client.only().resources()).containsOnlyKeys("b", "c", "d", "e");
    }

    @Test
    void slowClientKeepsWhatItHasWhileItOwesAnAnswer() {
        TestStream delta = mesh.delta();
        delta.subscribe(CDS);
        Frames.Response first = delta.only();
        mesh.set(CDS, "1", "a").publish();
        mesh.set(CDS, "2", "d").publish();
        delta.ackDelta(first);
        Frames.Response next = delta.only();
        assertThat(next.resources()).containsOnlyKeys("a", "d");
        assertThat(next.removed()).isEmpty();
    }

    @Test
    void clientThatReconnectsOverDeltaKeepsWhatItHas() {
        mesh.set(CDS, "1", "a").publish();
        TestStream again = mesh.delta();
        again.change(CDS, List.of(), List.of(), Map.of("b", "0", "c", "0", "d", "0"));
        Frames.Response first = again.only();
        assertThat(first.resources()).containsOnlyKeys("a", "b", "c", "d");
        assertThat(first.removed()).isEmpty();
    }

    @Test
    void clientWhoseViewChangesKeepsWhatItHas() {
        TestStream sotw = connectedSotw();
        TestStream delta = connectedDelta();
        FakeMesh other = new FakeMesh(3);
        other.set(CDS, "1", "a", "b", "c", "d").publish();
        mesh.next = other.view;
        for (TestStream each : new TestStream[] {sotw, delta}) {
            each.stream.recheck();
            each.call.channel().runPendingTasks();
        }
        assertThat(sotw.only().resources()).containsOnlyKeys("a", "b", "c", "d");
        Frames.Response difference = delta.only();
        assertThat(difference.resources()).containsOnlyKeys("a");
        assertThat(difference.removed()).isEmpty();
    }

    /** After any changes, a connected client has what it had as far as it exists, and all that a fresh one gets. */
    @Test
    void connectedClientsKeepWhatTheyHaveWhateverChanges() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Set<String> removedSince = new TreeSet<>();
            FakeMesh changing = new FakeMesh(5);
            changing.set(CDS, "0", "c", "d", "e", "f", "g", "h");
            TestStream sotw = changing.sotw();
            TestStream delta = changing.delta();
            sotw.ask(CDS, "");
            delta.subscribe(CDS);
            Set<String> ofSotw = new TreeSet<>();
            Set<String> ofDelta = new TreeSet<>();
            for (int step = 0; step < 40; step++) {
                boolean isSlow = random.nextInt(3) == 0;
                Set<String> before = new TreeSet<>(ofDelta);
                if (!isSlow) {
                    String where = "seed " + seed + ", step " + step;
                    Set<String> fresh = freshOf(changing);
                    assertThat(fresh).as(where).hasSizeLessThanOrEqualTo(5);
                    for (Set<String> connected : List.of(drained(sotw, ofSotw), drained(delta, ofDelta))) {
                        assertThat(connected).as(where).containsAll(fresh);
                        assertThat(changing.names(CDS)).as(where).containsAll(connected);
                    }
                    before.retainAll(changing.names(CDS));
                    before.removeAll(removedSince);
                    assertThat(ofDelta).as(where).containsAll(before);
                    removedSince.clear();
                }
                String name = String.valueOf((char) ('a' + random.nextInt(12)));
                // One that routes name would stay for a while after it was removed.
                if (random.nextInt(3) == 0 && !name.equals("k")) {
                    changing.remove(CDS, name);
                    removedSince.add(name);
                } else {
                    changing.set(CDS, String.valueOf(step), name);
                }
                if (random.nextBoolean()) {
                    changing.routed.add("k");
                } else {
                    changing.routed.remove("k");
                }
                changing.publish();
            }
        }
    }

    /** The clusters of the client after it has read all responses. */
    private static Set<String> drained(TestStream client, Set<String> names) {
        for (List<Frames.Response> next = client.received(); !next.isEmpty(); next = client.received()) {
            for (Frames.Response each : next) {
                if (client.stream.isDelta()) {
                    names.addAll(each.resources().keySet());
                    names.removeAll(each.removed());
                    client.ackDelta(each);
                } else {
                    names.clear();
                    names.addAll(each.resources().keySet());
                    client.ack(each);
                }
            }
        }
        return names;
    }

    private static Set<String> freshOf(FakeMesh mesh) {
        TestStream fresh = mesh.sotw();
        fresh.ask(CDS, "");
        Set<String> names = fresh.only().resources().keySet();
        fresh.stream.onCancel();
        mesh.streams.remove(fresh);
        return names;
    }
}
