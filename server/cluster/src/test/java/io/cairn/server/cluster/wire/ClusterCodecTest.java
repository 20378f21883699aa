package io.cairn.server.cluster.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.PublisherDescription;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterCodecTest {

    /** Bytes of protocol 1 as a released node sends them; never made again from the code. */
    private static final String GOLDEN = "protocol-1.txt";

    /** The lines that the file had when a cluster was first released; later lines follow them. */
    private static final int FIRST_LINES = 23;

    private static final String FIRST_LINES_SHA256 = "35eeb0ca56c067a1d37a46cff83c85aa92467efb52482c4354f6cbdc6e9c2fa1";

    private final ClusterCodec codec = new ClusterCodec();

    @Test
    void readsAndWritesBytesOfProtocolOne() throws Exception {
        List<String> golden;
        try (InputStream in = ClusterCodecTest.class.getResourceAsStream(GOLDEN)) {
            golden = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
        List<ClusterMessage> messages = SampleMessages.all();
        assertThat(golden).hasSameSizeAs(messages);
        for (int i = 0; i < golden.size(); i++) {
            ClusterMessage message = messages.get(i);
            String[] nameAndBytes = golden.get(i).split(" ");
            assertThat(nameAndBytes[0]).isEqualTo(message.getClass().getSimpleName());
            assertSame(codec.decode(HexFormat.of().parseHex(nameAndBytes[1])), message);
            assertThat(HexFormat.of().formatHex(codec.encode(message)))
                    .as(nameAndBytes[0])
                    .isEqualTo(nameAndBytes[1]);
        }
    }

    @Test
    void samplesHaveEachKindOfMessage() {
        Set<Class<?>> sampled = new LinkedHashSet<>();
        SampleMessages.all().forEach(message -> sampled.add(message.getClass()));
        assertThat(sampled).containsExactlyInAnyOrder(ClusterMessage.class.getPermittedSubclasses());
    }

    @Test
    void samplesHaveEachKindOfEntryAndOfForwardedWrite() {
        Set<Class<?>> entries = new LinkedHashSet<>();
        Set<ClusterMessage.Forward.Kind> writes = EnumSet.noneOf(ClusterMessage.Forward.Kind.class);
        for (ClusterMessage message : SampleMessages.all()) {
            if (message instanceof ClusterMessage.Delta delta) {
                delta.entries().forEach(entry -> entries.add(entry.getClass()));
            } else if (message instanceof ClusterMessage.Forward forward) {
                forward.writes().forEach(write -> writes.add(write.kind()));
            }
        }
        assertThat(entries).containsExactlyInAnyOrder(RegistryEntry.class.getPermittedSubclasses());
        assertThat(writes).containsExactlyInAnyOrder(ClusterMessage.Forward.Kind.values());
    }

    /** A released node may send each line: a change of one is a change of the protocol, and needs another number of it. */
    @Test
    void bytesOfProtocolOneStayAsTheyWereCommitted() throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (InputStream in = ClusterCodecTest.class.getResourceAsStream(GOLDEN)) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .limit(FIRST_LINES)
                    .forEach(line -> digest.update((line + '\n').getBytes(StandardCharsets.UTF_8)));
        }
        assertThat(HexFormat.of().formatHex(digest.digest())).isEqualTo(FIRST_LINES_SHA256);
    }

    private static void assertSame(ClusterMessage read, ClusterMessage written) {
        if (written instanceof ClusterMessage.Fragment fragment) {
            assertThat(read).usingRecursiveComparison().isEqualTo(fragment);
        } else {
            assertThat(read).isEqualTo(written);
        }
    }

    @Test
    void instancesStayEncodedUntilTheyAreRead() {
        ClusterMessage.Delta delta = (ClusterMessage.Delta) SampleMessages.all().get(3);
        ClusterMessage.Delta read = (ClusterMessage.Delta) codec.decode(codec.encode(delta));
        RegistryEntry.Published first = (RegistryEntry.Published) read.entries().get(0);
        assertThat(first.publication().instances().size()).isEqualTo(2);
        List<Instance> instances = first.publication().instances().decode();
        assertThat(instances.get(0)).isEqualTo(Instance.of("10.1.0.7", 8080));
        assertThat(instances.get(1).weight()).isEqualTo(0.5);
        assertThat(instances.get(1).id()).isEqualTo("host#1");
        assertThat(instances.get(1).metadata()).containsExactly(Map.entry("version", "1.2"), Map.entry("länge", ""));
    }

    @Test
    void skipsFieldsOfLaterVersions() {
        for (ClusterMessage message : SampleMessages.all()) {
            byte[] encoded = codec.encode(message);
            byte[] longer = Arrays.copyOf(encoded, encoded.length + 5);
            longer[encoded.length] = 99;
            longer[encoded.length + 1] = 3;
            assertSame(codec.decode(longer), message);
        }
    }

    @Test
    void countsAndDropsKindsOfLaterVersions() {
        assertThat(codec.decode(new byte[] {1, 120, 1, 1, 0})).isNull();
        assertThat(codec.unknownMessages()).isEqualTo(1);
    }

    @Test
    void namesTheFieldThatIsWrong() {
        assertMalformed(new byte[] {1}, "message: 1 bytes");
        assertMalformed(new byte[] {2, 1}, "format: 2 (expected: 1)");
        // A revision notice whose field is longer than the message.
        assertMalformed(new byte[] {1, 7, 1, 100, 1}, "RevisionNotice, field 1: length 100 (expected: at most 1)");
        assertMalformed(
                new byte[] {1, 7, 1, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 7, 1},
                "RevisionNotice, field 1: length 2147483647 (expected: at most 1)");
        assertMalformed(new byte[] {1, 7}, "RevisionNotice.revision: absent");
        assertMalformed(new byte[] {1, 7, 1, 2, 1, 1}, "RevisionNotice.revision: 2 bytes (expected: one number)");
        assertMalformed(new byte[] {1, 7, 1}, "RevisionNotice.length: the message ends within a number");
        assertMalformed(new byte[] {1, 18, 1, 1, 0, 2, 1, 2}, "Fragment.last: 2 (expected: 0-1)");
        // A delta with an entry that names a service which is not described.
        assertMalformed(new byte[] {1, 3, 22, 3, 3, 1, 0}, "entry.service: 0 (expected: 0--1)");
        // A heartbeat forwarded for an instance without a port.
        assertMalformed(
                new byte[] {1, 11, 1, 10, 1, 3, 1, 1, 's', 2, 3, 1, 1, 'i'},
                "instanceKey.key: ip i, port -1 (expected: both)");
    }

    private void assertMalformed(byte[] encoded, String text) {
        assertThatThrownBy(() -> codec.decode(encoded))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining(text);
    }

    @Test
    void randomBytesGiveMessageOrOneException() {
        Random random = new Random(38);
        List<byte[]> samples = SampleMessages.all().stream().map(codec::encode).toList();
        int read = 0;
        int refused = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes;
            if (i % 4 == 0) {
                bytes = new byte[random.nextInt(200)];
                random.nextBytes(bytes);
                if (bytes.length > 2) {
                    bytes[0] = ClusterCodec.FORMAT;
                    bytes[1] = (byte) (1 + random.nextInt(18));
                }
            } else {
                bytes = samples.get(random.nextInt(samples.size())).clone();
                bytes = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
                for (int j = random.nextInt(4); j >= 0; j--) {
                    bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
                }
            }
            try {
                ClusterMessage message = codec.decode(bytes);
                read++;
                decodeInstances(message);
            } catch (MalformedMessageException e) {
                assertThat(e.getMessage()).contains(": ");
                refused++;
            }
        }
        // Both happen often, or the test shows nothing.
        assertThat(read).isGreaterThan(5_000);
        assertThat(refused).isGreaterThan(50_000);
    }

    /** Reads the instances of accepted messages: nothing fails when a consumer asks for them. */
    private static void decodeInstances(ClusterMessage message) {
        if (message instanceof ClusterMessage.Delta delta) {
            for (RegistryEntry entry : delta.entries()) {
                if (entry instanceof RegistryEntry.Published set) {
                    assertThat(set.publication().instances().decode())
                            .hasSize(set.publication().instances().size());
                }
            }
        }
    }

    @Test
    void sendsLongMessagesInFragments() {
        ClusterMessage.Answer answer = new ClusterMessage.Answer(3, "é".repeat(100_000));
        List<byte[]> pieces = codec.pieces(codec.encode(answer));
        assertThat(pieces).hasSizeGreaterThan(8).allMatch(piece -> piece.length <= ClusterCodec.MAX_BYTES);
        FragmentAssembly assembly = new FragmentAssembly();
        List<byte[]> whole = new ArrayList<>();
        for (byte[] piece : pieces) {
            byte[] done = assembly.take((ClusterMessage.Fragment) codec.decode(piece));
            if (done != null) {
                whole.add(done);
            }
        }
        assertThat(whole).hasSize(1);
        assertThat(codec.decode(whole.get(0))).isEqualTo(answer);
    }

    @Test
    void dropsMessageWithMissingFragment() {
        List<byte[]> pieces = codec.pieces(codec.encode(new ClusterMessage.Answer(3, "a".repeat(100_000))));
        FragmentAssembly assembly = new FragmentAssembly();
        assembly.take((ClusterMessage.Fragment) codec.decode(pieces.get(0)));
        for (byte[] piece : pieces.subList(2, pieces.size())) {
            assertThat(assembly.take((ClusterMessage.Fragment) codec.decode(piece)))
                    .isNull();
        }
    }

    @Test
    void batchTakesEntriesUpToItsLimit() {
        PublisherDescription publisher = new PublisherDescription(
                "connection", Publisher.Kind.CONNECTION, new Publisher.Client("10.1.0.7", 1, "shop", "sdk"));
        EntryBatch batch = EntryBatch.ofDelta();
        int added = 0;
        while (batch.add(new RegistryEntry.Published(
                added + 1,
                new MirroredPublication(
                        publisher,
                        new ServiceKey(Namespace.DEFAULT, "g", "service-" + added),
                        1,
                        EncodedInstances.of(List.of(Instance.of("10.1.0.7", added))))))) {
            added++;
        }
        byte[] encoded = batch.finishDelta(1, 1, 0, added);
        assertThat(encoded.length).isBetween(ClusterCodec.MAX_BYTES - 1_000, ClusterCodec.MAX_BYTES);
        ClusterMessage.Delta delta = (ClusterMessage.Delta) codec.decode(encoded);
        assertThat(delta.entries())
                .extracting(RegistryEntry::sequence)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, added).mapToObj(Long::valueOf).toList());
        // The publisher is described once.
        assertThat(delta.entries())
                .extracting(
                        entry -> ((RegistryEntry.Published) entry).publication().publisher())
                .containsOnly(publisher);
    }
}
