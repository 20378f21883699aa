package io.cairn.server.subscription.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.subscription.history.ClientEvent.Kind;
import io.cairn.server.subscription.history.Segment.MalformedSegmentException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentTest {

    private static final EventFilter ALL = new EventFilter(null, null, null, null, null);
    private static final List<Kind> KINDS = List.of(Kind.values());

    private static SeenClient client(int number) {
        return new SeenClient("10.0.0." + number, "订单-" + number % 3, "", "Nacos-Java-Client:v2.5.1", "id_" + number);
    }

    private static ConfigKey key(int number) {
        return new ConfigKey(
                Namespace.ofNullable(number % 2 == 0 ? null : "dev"), "G" + number, "a" + number + ".yaml");
    }

    private static @Nullable ContentDigest digest(int number) {
        return number == 0 ? null : ContentDigest.of("content " + number);
    }

    /** A random event, written and as it must be read. */
    private static List<ClientEvent> write(Random random, long atMillis, Segment.Writer writer) {
        SeenClient client = client(random.nextInt(20));
        ConfigKey key = key(random.nextInt(20));
        ContentDigest digest = digest(random.nextInt(4));
        Kind kind = KINDS.get(random.nextInt(KINDS.size()));
        switch (kind) {
            case LISTENED -> {
                List<ConfigKey> keys = new ArrayList<>();
                List<@Nullable ContentDigest> digests = new ArrayList<>();
                List<ClientEvent> events = new ArrayList<>();
                for (int i = random.nextInt(200); i >= 0; i--) {
                    keys.add(key(i));
                    digests.add(digest(i % 4));
                    events.add(new ClientEvent(atMillis, kind, client, key(i), digest(i % 4), 0));
                }
                writer.listened(atMillis, client, keys, digests);
                return events;
            }
            case NOTIFIED -> {
                writer.notified(atMillis, client, key);
                return List.of(new ClientEvent(atMillis, kind, client, key, null, 0));
            }
            case FOLLOWED, BEHIND -> {
                writer.holds(kind, atMillis, client, key, digest);
                return List.of(new ClientEvent(atMillis, kind, client, key, digest, 0));
            }
            case LEFT -> {
                writer.left(atMillis, client);
                return List.of(new ClientEvent(atMillis, kind, client, null, null, 0));
            }
            case MISSING -> {
                long count = random.nextLong(1L << 40);
                writer.missing(atMillis, count);
                return List.of(new ClientEvent(atMillis, kind, null, null, null, count));
            }
        }
        throw new AssertionError(kind);
    }

    private static List<ClientEvent> read(byte[] bytes, EventFilter filter) throws MalformedSegmentException {
        List<ClientEvent> events = new ArrayList<>();
        new Segment.Reader(ByteBuffer.wrap(bytes)).read(filter, events::add);
        return events;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void readsWhatWasWrittenAlsoFromATornFile(long seed) throws Exception {
        Random random = new Random(seed);
        Segment.Writer writer = new Segment.Writer();
        List<ClientEvent> written = new ArrayList<>();
        long at = 1_700_000_000_000L;
        for (int i = 0; i < 300; i++) {
            at += random.nextInt(2_000) - 500; // a clock may be set back
            written.addAll(write(random, at, writer));
        }
        byte[] bytes = writer.take().array();

        assertThat(read(bytes, ALL)).isEqualTo(written);
        for (int i = 0; i < 60; i++) {
            List<ClientEvent> torn = read(Arrays.copyOf(bytes, random.nextInt(bytes.length)), ALL);
            assertThat(torn).isEqualTo(written.subList(0, torn.size()));
        }
    }

    @Test
    void aFilterTakesTheEventsOfAClientAndOfAConfiguration() throws Exception {
        Segment.Writer writer = new Segment.Writer();
        writer.listened(1, client(1), List.of(key(1), key(2)), Arrays.asList(digest(1), null));
        writer.notified(2, client(2), key(2));
        writer.holds(Kind.FOLLOWED, 3, client(1), key(2), digest(2));
        writer.missing(4, 7);
        writer.left(5, client(1));
        byte[] bytes = writer.take().array();

        assertThat(read(bytes, new EventFilter("id_1", null, null, null, null)))
                .extracting(ClientEvent::kind)
                .containsExactly(Kind.LISTENED, Kind.LISTENED, Kind.FOLLOWED, Kind.MISSING, Kind.LEFT);
        assertThat(read(bytes, new EventFilter(null, null, null, null, key(2))))
                .extracting(ClientEvent::kind, ClientEvent::client)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(Kind.LISTENED, client(1)),
                        org.assertj.core.groups.Tuple.tuple(Kind.NOTIFIED, client(2)),
                        org.assertj.core.groups.Tuple.tuple(Kind.FOLLOWED, client(1)),
                        org.assertj.core.groups.Tuple.tuple(Kind.MISSING, null));
        assertThat(read(bytes, new EventFilter(null, "10.0.0.9", null, null, null)))
                .extracting(ClientEvent::kind)
                .containsExactly(Kind.MISSING);
    }

    @Test
    void otherBytesEndTheFileWithTheirPlace() {
        Segment.Writer writer = new Segment.Writer();
        writer.notified(1, client(1), key(1));
        byte[] good = writer.take().array();
        byte[] bytes = Arrays.copyOf(good, good.length + 3);
        bytes[good.length] = 99;
        List<ClientEvent> events = new ArrayList<>();

        assertThatThrownBy(() -> new Segment.Reader(ByteBuffer.wrap(bytes)).read(ALL, events::add))
                .isInstanceOf(MalformedSegmentException.class)
                .hasMessage("at byte " + (good.length + 1) + ": unknown record 99");
        assertThat(events).hasSize(1);
    }

    /** Numbers at the first use: an event of a known client and configuration is small. */
    @Test
    void aChangeThatAThousandClientsFollowTakesFewBytes() {
        Segment.Writer writer = new Segment.Writer();
        for (int i = 0; i < 1_000; i++) {
            writer.listened(i, client(i), List.of(key(1)), List.of(ContentDigest.of("a")));
        }
        writer.take();
        for (int i = 0; i < 1_000; i++) {
            writer.notified(2_000, client(i), key(1));
            writer.holds(Kind.FOLLOWED, 2_001, client(i), key(1), ContentDigest.of("b"));
        }

        assertThat(writer.take().remaining()).isLessThan(13_000);
    }
}
