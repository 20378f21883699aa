package io.cairn.server.xds.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.xds.resource.XdsType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Random interleavings of changes, subscriptions, acknowledgements, refusals and slow readers: in the end each client has what the
 * tables of the server have.
 */
class StreamInterleavingsTest {

    private static final int SCHEDULES = 1_500;
    private static final int STEPS = 60;
    private static final String[] NAMES = {"a", "b", "c", "d", "e"};
    /** A name that each subscription has. */
    private static final String EVERYWHERE = "z";

    private static final XdsType[] TYPES = XdsType.values();

    @Test
    void everyClientEndsOnTheTablesOfTheServer() {
        for (long seed = 1; seed <= SCHEDULES; seed++) {
            try {
                new Schedule(seed).run();
            } catch (AssertionError e) {
                throw new AssertionError("with the seed " + seed, e);
            }
        }
    }

    /** A client that keeps what it is sent, as a proxy does. */
    private static final class Client {

        final TestStream wire;
        final boolean delta;
        final boolean wildcard;
        /** Whether it keeps parts of a response that it refuses, as Envoy does. */
        final boolean keepsParts;

        final Map<XdsType, Map<String, String>> has = new HashMap<>();
        final Map<XdsType, Set<String>> names = new HashMap<>();
        final Map<XdsType, Frames.Response> unanswered = new HashMap<>();
        /** The last response of a type that was accepted or refused. */
        final Map<XdsType, Frames.Response> last = new HashMap<>();

        private final Random random;

        Client(FakeMesh mesh, boolean delta, boolean wildcard, Random random) {
            this.wire = delta ? mesh.delta() : mesh.sotw();
            this.random = random;
            this.keepsParts = random.nextBoolean();
            this.delta = delta;
            this.wildcard = wildcard;
        }

        boolean isWildcard(XdsType type) {
            return wildcard && type.isWholeInSotw();
        }

        void receive() {
            for (Frames.Response response : wire.received()) {
                XdsType type = XdsType.named(response.type());
                assertThat(unanswered.put(type, response))
                        .as("two responses at once")
                        .isNull();
            }
        }

        private void take(XdsType type, Frames.Response response) {
            Map<String, String> present = has.computeIfAbsent(type, none -> new TreeMap<>());
            if (!delta && type.isWholeInSotw()) {
                present.clear();
            }
            response.resources().forEach((name, content) -> {
                // It may have dropped the name since.
                if (isWildcard(type) || names.get(type).contains(name)) {
                    present.put(name, content);
                }
            });
            response.removed().forEach(present::remove);
        }

        private void takeParts(XdsType type, Frames.Response response) {
            Map<String, String> present = has.computeIfAbsent(type, none -> new TreeMap<>());
            response.resources().forEach((name, content) -> {
                if (random.nextBoolean() && (isWildcard(type) || names.get(type).contains(name))) {
                    present.put(name, content);
                }
            });
            response.removed().stream().filter(name -> random.nextBoolean()).forEach(present::remove);
        }

        private String[] namesOf(XdsType type) {
            return names.getOrDefault(type, Set.of()).toArray(String[]::new);
        }

        void answer(XdsType type, boolean refuse) {
            Frames.Response response = unanswered.remove(type);
            if (response == null) {
                return;
            }
            last.put(type, response);
            if (!refuse) {
                take(type, response);
            } else if (keepsParts) {
                takeParts(type, response);
            }
            if (delta) {
                if (refuse) {
                    wire.nackDelta(response, "no");
                } else {
                    wire.ackDelta(response);
                }
            } else if (refuse) {
                wire.nack(response, "no", namesOf(type));
            } else {
                wire.ack(response, namesOf(type));
            }
        }

        void subscribe(XdsType type, Set<String> wanted) {
            Set<String> before = names.get(type);
            if (before == null) {
                names.put(type, new HashSet<>(wanted));
                if (delta) {
                    wire.subscribe(type, namesOf(type));
                } else {
                    wire.ask(type, "", namesOf(type));
                }
                return;
            }
            if (isWildcard(type) || before.equals(wanted)) {
                return;
            }
            Set<String> added = new HashSet<>(wanted);
            added.removeAll(before);
            Set<String> dropped = new HashSet<>(before);
            dropped.removeAll(wanted);
            Map<String, String> present = has.computeIfAbsent(type, none -> new TreeMap<>());
            if (delta) {
                dropped.forEach(present::remove);
                names.put(type, new HashSet<>(wanted));
                wire.change(type, List.copyOf(added), List.copyOf(dropped), Map.of());
            } else if (!unanswered.containsKey(type) && last.containsKey(type)) {
                // As Envoy does: with the nonce of the response before.
                dropped.forEach(present::remove);
                names.put(type, new HashSet<>(wanted));
                wire.ask(type, last.get(type).nonce(), namesOf(type));
            }
        }
    }

    private static final class Schedule {

        private final Random random;
        private final FakeMesh mesh = new FakeMesh();
        private final List<Client> clients = new ArrayList<>();
        private int content;

        Schedule(long seed) {
            random = new Random(seed);
        }

        void run() {
            int count = 1 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                clients.add(new Client(mesh, random.nextBoolean(), random.nextBoolean(), random));
            }
            for (int step = 0; step < STEPS; step++) {
                step();
                clients.forEach(Client::receive);
            }
            settle();
        }

        private void check() {
            for (Client client : clients) {
                client.names.forEach((type, names) -> check(client, type, names));
            }
        }

        private void step() {
            Client client = clients.get(random.nextInt(clients.size()));
            XdsType type = TYPES[random.nextInt(TYPES.length)];
            switch (random.nextInt(10)) {
                case 0, 1 -> {
                    mesh.set(type, Integer.toString(++content), NAMES[random.nextInt(NAMES.length)]);
                }
                case 2 -> {
                    if (type != XdsType.EDS) {
                        mesh.remove(type, NAMES[random.nextInt(NAMES.length)]);
                    }
                }
                case 3 -> mesh.publish();
                case 4 -> client.subscribe(type, client.isWildcard(type) ? Set.of() : someNames());
                case 5 -> client.wire.call.ready = false;
                case 6 -> {
                    client.wire.call.ready = true;
                    client.wire.stream.onReady();
                }
                case 7 -> client.answer(type, true);
                default -> client.answer(type, false);
            }
        }

        private Set<String> someNames() {
            Set<String> names = new HashSet<>();
            names.add(EVERYWHERE);
            names.add(NAMES[random.nextInt(NAMES.length)]);
            for (String name : NAMES) {
                if (random.nextInt(3) == 0) {
                    names.add(name);
                }
            }
            return names;
        }

        /**
         * Every client reads and accepts all from now on. A revision of one resource ends what refusals have left behind; a last
         * revision has other contents, and lacks some names.
         */
        private void settle() {
            acceptAll();
            for (XdsType type : TYPES) {
                mesh.set(type, "next", EVERYWHERE);
            }
            mesh.publish();
            acceptAll();
            check();
            for (XdsType type : TYPES) {
                for (String name : NAMES) {
                    if (type != XdsType.EDS && random.nextInt(3) == 0) {
                        mesh.remove(type, name);
                    } else {
                        mesh.set(type, "last", name);
                    }
                }
            }
            mesh.publish();
            acceptAll();
            check();
        }

        private void acceptAll() {
            for (int round = 0; round < 12; round++) {
                for (Client client : clients) {
                    client.wire.call.ready = true;
                    client.wire.stream.onReady();
                    client.receive();
                    for (XdsType type : TYPES) {
                        client.answer(type, false);
                        client.receive();
                    }
                }
                mesh.nanos += ClusterOrder.WAIT_NANOS;
            }
        }

        private void check(Client client, XdsType type, Set<String> names) {
            Map<String, String> actual = new TreeMap<>(client.has.getOrDefault(type, Map.of()));
            // A whole list has the names; of a single route that is gone, SotW has no way to tell.
            if (!client.delta && !type.isWholeInSotw()) {
                actual.keySet().retainAll(mesh.names(type));
            }
            assertThat(actual)
                    .as("%s of a client of %s with %s", type, client.delta ? "delta" : "SotW", names)
                    .isEqualTo(mesh.expected(type, client.delta, client.isWildcard(type), names));
        }
    }
}
