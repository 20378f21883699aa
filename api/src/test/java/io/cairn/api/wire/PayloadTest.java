package io.cairn.api.wire;

import static io.cairn.testing.WireBytes.concat;
import static io.cairn.testing.WireBytes.delimited;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.cairn.api.wire.generated.Metadata;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The hand-written envelope against the code that protoc generates from the same contract. */
class PayloadTest {

    private static final byte[] JSON = utf8("{\"dataId\":\"a.yaml\"}");

    @Test
    void writesTheSameBytesAsGeneratedCode() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Client-AppName", "orders-app");
        headers.put("charset", "UTF-8");

        Payload ours = Payload.of("ConfigQueryRequest", "10.0.0.9", headers, JSON);

        io.cairn.api.wire.generated.Payload theirs = io.cairn.api.wire.generated.Payload.newBuilder()
                .setMetadata(Metadata.newBuilder()
                        .setType("ConfigQueryRequest")
                        .putHeaders("Client-AppName", "orders-app")
                        .putHeaders("charset", "UTF-8")
                        .setClientIp("10.0.0.9"))
                .setBody(Any.newBuilder().setValue(ByteString.copyFrom(JSON)))
                .build();
        assertThat(ours.encoded()).isEqualTo(theirs.toByteArray());
        assertThat(ours.encodedLength()).isEqualTo(theirs.getSerializedSize());
    }

    @Test
    void oneMoreHeaderLeavesTheRestAsItWas() throws Exception {
        Payload one = Payload.of("T", "10.0.0.9", Map.of("app", "ü"), JSON);

        Payload two = one.with("Cairn-Revision", "42");

        assertSame(two, generated(two.encoded()));
        assertThat(two.header("app")).isEqualTo("ü");
        assertThat(two.header("cairn-revision")).isEqualTo("42");
        assertThat(two.clientIp()).isEqualTo("10.0.0.9");
        assertThat(two.bodyText()).isEqualTo(one.bodyText());
        assertThat(one.header("Cairn-Revision")).isNull();
    }

    @Test
    void knowsAWrittenMessageWithoutParsingIt() throws Exception {
        Payload ours = Payload.of("T", "10.0.0.9", Map.of("app", "ü"), JSON);

        assertSame(ours, generated(ours.encoded()));
        assertThat(ours.type()).isEqualTo("T");
        assertThat(ours.clientIp()).isEqualTo("10.0.0.9");
        assertThat(ours.header("APP")).isEqualTo("ü");
        assertThat(ours.bodyText()).isEqualTo("{\"dataId\":\"a.yaml\"}");
        assertThat(ours.malformation()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 119, 120, 126, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152})
    void lengthsOfEveryVarintSizeAreWrittenAndReadLikeGeneratedCode(int length) throws Exception {
        String text = "x".repeat(length);
        Payload ours = Payload.of(text, text, Map.of("h", text, "i", ""), utf8(text));

        assertSame(ours, generated(ours.encoded()));
        assertSame(Payload.read(ours.encoded()), generated(ours.encoded()));
    }

    @Test
    void textBeyondAsciiTravelsUnharmedInEveryPart() throws Exception {
        String text = "名前 \u0000 é 😀 \ud83d\udc69\u200d\ud83d\udcbb";
        Payload ours = Payload.of(text, text, Map.of("name", text), utf8("{\"" + text + "\":1}"));

        io.cairn.api.wire.generated.Payload theirs = generated(ours.encoded());
        assertThat(theirs.getMetadata().getType()).isEqualTo(text);
        assertThat(theirs.getMetadata().getClientIp()).isEqualTo(text);
        assertThat(theirs.getMetadata().getHeadersMap()).containsExactly(Map.entry("name", text));
        assertSame(Payload.read(theirs.toByteArray()), theirs);
    }

    @Test
    void aLoneSurrogateIsWrittenAsAQuestionMarkInsteadOfAsBrokenUtf8() throws Exception {
        Payload ours = Payload.of("T\ud83d", null, Map.of("h", "\ude00"), JSON);

        assertThat(generated(ours.encoded()).getMetadata().getType()).isEqualTo("T?");
        assertThat(Payload.read(ours.encoded()).header("h")).isEqualTo("?");
    }

    @Test
    void emptyPartsReadAsTheirDefaults() throws Exception {
        for (byte[] bytes : List.of(
                new byte[0],
                io.cairn.api.wire.generated.Payload.newBuilder()
                        .setMetadata(Metadata.getDefaultInstance())
                        .build()
                        .toByteArray(),
                io.cairn.api.wire.generated.Payload.newBuilder()
                        .setMetadata(Metadata.getDefaultInstance())
                        .setBody(Any.getDefaultInstance())
                        .build()
                        .toByteArray(),
                Payload.of("", "", Map.of("", ""), new byte[0]).encoded())) {
            Payload read = Payload.read(bytes);
            assertSame(read, generated(bytes));
            assertThat(read.type()).isEmpty();
            assertThat(read.clientIp()).isNull();
            assertThat(read.bodyText()).isEmpty();
            assertThat(read.header("any")).isNull();
        }
    }

    @Test
    void aTypeUrlInTheBodyIsIgnored() throws Exception {
        // The Rust SDK writes one.
        byte[] bytes = io.cairn.api.wire.generated.Payload.newBuilder()
                .setMetadata(Metadata.newBuilder().setType("ConfigQueryRequest"))
                .setBody(Any.newBuilder().setTypeUrl("ConfigQueryRequest").setValue(ByteString.copyFrom(JSON)))
                .build()
                .toByteArray();

        assertSame(Payload.read(bytes), generated(bytes));
        assertThat(Payload.read(bytes).bodyText()).isEqualTo("{\"dataId\":\"a.yaml\"}");
    }

    @Test
    void fieldsInAnyOrderAreReadLikeGeneratedCode() throws Exception {
        byte[] body = delimited(3, delimited(2, JSON));
        byte[] metadata = delimited(
                2, concat(delimited(8, utf8("10.0.0.9")), delimited(7, entry("a", "1")), delimited(3, utf8("T"))));

        byte[] bytes = concat(body, metadata);

        assertSame(Payload.read(bytes), generated(bytes));
        assertThat(Payload.read(bytes).clientIp()).isEqualTo("10.0.0.9");
    }

    @Test
    void aHeaderWhoseValueComesBeforeItsNameIsFound() throws Exception {
        byte[] bytes =
                delimited(2, delimited(7, concat(delimited(2, utf8("value")), delimited(1, utf8("Client-AppName")))));

        assertSame(Payload.read(bytes), generated(bytes));
        assertThat(Payload.read(bytes).header("client-appname")).isEqualTo("value");
    }

    @Test
    void aHeaderWithoutAValueIsAnEmptyOne() throws Exception {
        byte[] bytes = delimited(2, delimited(7, delimited(1, utf8("notify"))));

        assertSame(Payload.read(bytes), generated(bytes));
        assertThat(Payload.read(bytes).header("notify")).isEmpty();
    }

    @Test
    void ofAHeaderGivenTwiceTheLastCounts() throws Exception {
        byte[] bytes = delimited(2, concat(delimited(7, entry("a", "first")), delimited(7, entry("a", "last"))));

        assertSame(Payload.read(bytes), generated(bytes));
        assertThat(Payload.read(bytes).header("a")).isEqualTo("last");
    }

    @Test
    void headerNamesAreComparedWithoutRegardToCase() {
        Payload payload = Payload.read(
                Payload.of("T", null, Map.of("Vipserver-Tag", "blue"), JSON).encoded());

        assertThat(payload.header("vipserver-tag")).isEqualTo("blue");
        assertThat(payload.header("VIPSERVER-TAG")).isEqualTo("blue");
        assertThat(payload.header("Vipserver-Ta")).isNull();
        assertThat(payload.header("Vipserver-Tags")).isNull();
        // Not letters: they differ in the bit by which cases differ.
        assertThat(payload.header("Vipserver\rTag")).isNull();
    }

    @Test
    void unknownFieldsOfEveryWireTypeAreSkippedAtEveryLevel() throws Exception {
        UnknownFieldSet unknown = UnknownFieldSet.newBuilder()
                .addField(
                        1,
                        UnknownFieldSet.Field.newBuilder()
                                .addVarint(Long.MAX_VALUE)
                                .build())
                .addField(15, UnknownFieldSet.Field.newBuilder().addFixed64(-1L).build())
                .addField(16, UnknownFieldSet.Field.newBuilder().addFixed32(-1).build())
                .addField(
                        2047,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8("x".repeat(300)))
                                .build())
                .addField(
                        100_000, UnknownFieldSet.Field.newBuilder().addVarint(0).build())
                .build();
        UnknownFieldSet unknownInAny = UnknownFieldSet.newBuilder()
                .addField(
                        5,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFrom(JSON))
                                .addVarint(7)
                                .build())
                .build();
        byte[] bytes = io.cairn.api.wire.generated.Payload.newBuilder()
                .setMetadata(Metadata.newBuilder()
                        .setType("T")
                        .setClientIp("10.0.0.9")
                        .putHeaders("a", "1")
                        .setUnknownFields(unknown))
                .setBody(Any.newBuilder().setValue(ByteString.copyFrom(JSON)).setUnknownFields(unknownInAny))
                .setUnknownFields(unknown)
                .build()
                .toByteArray();

        Payload read = Payload.read(bytes);

        assertSame(read, generated(bytes));
        assertThat(read.clientIp()).isEqualTo("10.0.0.9");
        assertThat(read.header("a")).isEqualTo("1");
        assertThat(read.header("b")).isNull();
    }

    @Test
    void anUnknownFieldBeforeTheKnownOnesHidesNoneOfThem() throws Exception {
        byte[] unknown = concat(delimited(1, utf8("v")), new byte[] {4 << 3, 1}, delimited(900, utf8("w")));
        byte[] metadata = delimited(
                2,
                concat(
                        unknown,
                        delimited(3, utf8("T")),
                        unknown,
                        delimited(7, concat(unknown(9), entry("a", "1"))),
                        unknown,
                        delimited(8, utf8("10.0.0.9"))));
        byte[] bytes = concat(metadata, delimited(3, delimited(2, JSON)));

        Payload read = Payload.read(bytes);

        assertSame(read, generated(bytes));
        assertThat(read.clientIp()).isEqualTo("10.0.0.9");
        assertThat(read.header("a")).isEqualTo("1");
    }

    @Test
    void twoMetadataFieldsAreReadAsOneOrRefused() throws Exception {
        byte[] bytes = concat(
                delimited(2, concat(delimited(3, utf8("T")), delimited(8, utf8("10.0.0.9")))),
                delimited(2, delimited(7, entry("a", "1"))));

        assertRefusedOrSame(bytes);
    }

    @Test
    void everyTruncationOfAMessageIsRefusedOrReadLikeGeneratedCode() {
        byte[] whole = io.cairn.api.wire.generated.Payload.newBuilder()
                .setMetadata(Metadata.newBuilder()
                        .setType("ConfigPublishRequest")
                        .putHeaders("Client-AppName", "orders-app")
                        .putHeaders("long", "x".repeat(200))
                        .setClientIp("10.0.0.9"))
                .setBody(Any.newBuilder()
                        .setTypeUrl("ConfigPublishRequest")
                        .setValue(ByteString.copyFromUtf8("{\"content\":\"" + "y".repeat(300) + "\"}")))
                .build()
                .toByteArray();

        int refused = 0;
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            if (generatedOrNull(part) == null) {
                assertThat(Payload.read(part).malformation())
                        .as("cut to %s bytes", length)
                        .isNotNull();
                refused++;
            } else {
                assertRefusedOrSame(part);
            }
        }
        assertThat(refused).isGreaterThan(whole.length - 10);
    }

    @Test
    void aMalformedMessageIsEmpty() {
        Payload cut = Payload.read(new byte[] {2 << 3 | 2, 40, 3 << 3 | 2, 1, 'T'});

        assertThat(cut.malformation()).contains("length of 40");
        assertThat(cut.type()).isEmpty();
        assertThat(cut.clientIp()).isNull();
        assertThat(cut.header("a")).isNull();
        assertThat(cut.bodyText()).isEmpty();
        assertThat(cut.toString()).contains("malformed");
    }

    @Test
    void lengthsThatReachBeyondTheMessageOrOverflowAreRefused() {
        for (int[] bytes : new int[][] {
            {0x12, 0xff, 0xff, 0xff, 0xff, 0x07}, // Integer.MAX_VALUE
            {0x12, 0xff, 0xff, 0xff, 0xff, 0x0f}, // -1
            {0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, // -1 in ten bytes
            {0x1a, 0x06, 0x12, 0xff, 0xff, 0xff, 0xff, 0x07},
            {0x12, 0x02, 0x1a, 0x01}, // the type reaches out of the metadata
            {0x12, 0x03, 0x1a, 0x05, 'a', 'b', 'c', 'd', 'e'}, // and into what follows it
            {0x12, 0x04, 0x3a, 0x04, 0x0a, 0x05, 'a', 'b', 'c', 'd', 'e'},
            {0x22, 0xff, 0xff, 0xff, 0xff, 0x07},
            {0x21, 1, 2, 3},
            {0x25, 1, 2, 3},
            {0x20, 0x80},
            {0x23}, // a group
            {0x00, 0x00}, // field number 0
            {0x80, 0x80, 0x80, 0x80, 0x80}
        }) {
            byte[] message = new byte[bytes.length];
            for (int i = 0; i < bytes.length; i++) {
                message[i] = (byte) bytes[i];
            }
            assertThat(Payload.read(message).malformation())
                    .as(Arrays.toString(bytes))
                    .isNotNull();
        }
    }

    @Test
    void seededRandomMessagesAreReadLikeGeneratedCode() throws Exception {
        Random random = new Random(20261121);
        for (int round = 0; round < 500; round++) {
            byte[] bytes = randomMessage(random).toByteArray();
            assertSame(Payload.read(bytes), generated(bytes));
        }
    }

    @Test
    void seededRandomMessagesAreWrittenLikeGeneratedCode() throws Exception {
        Random random = new Random(4711);
        for (int round = 0; round < 500; round++) {
            String type = randomText(random);
            String clientIp = random.nextBoolean() ? null : randomText(random);
            Map<String, String> headers = randomHeaders(random);
            byte[] json = utf8(randomText(random).repeat(random.nextInt(8)));

            io.cairn.api.wire.generated.Payload theirs =
                    generated(Payload.of(type, clientIp, headers, json).encoded());

            assertThat(theirs.getMetadata().getType()).isEqualTo(type);
            assertThat(theirs.getMetadata().getClientIp()).isEqualTo(clientIp == null ? "" : clientIp);
            assertThat(theirs.getMetadata().getHeadersMap()).isEqualTo(headers);
            assertThat(theirs.getBody().getValue().toByteArray()).isEqualTo(json);
            assertThat(theirs.getUnknownFields().asMap()).isEmpty();
        }
    }

    @Test
    void seededRandomBytesAreRefusedOrReadLikeGeneratedCode() {
        int[] likely = {0x12, 0x1a, 0x3a, 0x42, 0x0a, 0x10, 0x08, 0, 1, 2, 3, 4, 5, 0x80};
        Random random = new Random(99);
        int read = 0;
        for (int round = 0; round < 60_000; round++) {
            byte[] bytes = new byte[random.nextInt(40)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] =
                        (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : likely[random.nextInt(likely.length)]);
            }
            read += assertRefusedOrSame(bytes) ? 1 : 0;
        }
        // Some must get through, or the comparison was never made.
        assertThat(read).isGreaterThan(1_000);
    }

    @Test
    void messagesWithSeededRandomDamageAreRefusedOrReadLikeGeneratedCode() {
        Random random = new Random(7);
        int read = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = Payload.of("ConfigQueryRequest", "10.0.0.9", Map.of("app", "a", "tag", ""), JSON)
                    .encoded();
            for (int flips = random.nextInt(3); flips >= 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            read += assertRefusedOrSame(bytes) ? 1 : 0;
        }
        assertThat(read).isGreaterThan(1_000);
    }

    /** Compares everything when both can read the bytes, and sees that reading never throws. */
    private static boolean assertRefusedOrSame(byte[] bytes) {
        Payload ours = Payload.read(bytes);
        ours.clientIp();
        ours.header("a");
        ours.bodyText();
        assertThat(ours.toString()).isNotNull();
        io.cairn.api.wire.generated.Payload theirs = generatedOrNull(bytes);
        if (theirs == null || ours.malformation() != null) {
            return false;
        }
        assertSame(ours, theirs);
        return true;
    }

    private static void assertSame(Payload ours, io.cairn.api.wire.generated.Payload theirs) {
        assertThat(ours.malformation()).isNull();
        assertThat(ours.type()).isEqualTo(theirs.getMetadata().getType());
        String ip = theirs.getMetadata().getClientIp();
        assertThat(ours.clientIp()).isEqualTo(ip.isEmpty() ? null : ip);
        byte[] body = Arrays.copyOfRange(ours.encoded(), ours.bodyOffset(), ours.bodyOffset() + ours.bodyLength());
        assertThat(body).isEqualTo(theirs.getBody().getValue().toByteArray());
        Set<String> seen = new HashSet<>();
        boolean ambiguous = theirs.getMetadata().getHeadersMap().keySet().stream()
                .anyMatch(name -> !seen.add(name.toLowerCase(Locale.ROOT)));
        theirs.getMetadata().getHeadersMap().forEach((name, value) -> {
            if (!ambiguous
                    && !name.isEmpty()
                    && StandardCharsets.US_ASCII.newEncoder().canEncode(name)) {
                assertThat(ours.header(name)).isEqualTo(value);
            }
        });
    }

    private static io.cairn.api.wire.generated.Payload generated(byte[] bytes) throws InvalidProtocolBufferException {
        return io.cairn.api.wire.generated.Payload.parseFrom(bytes);
    }

    private static io.cairn.api.wire.generated.@Nullable Payload generatedOrNull(byte[] bytes) {
        try {
            return generated(bytes);
        } catch (InvalidProtocolBufferException e) {
            return null;
        }
    }

    private static io.cairn.api.wire.generated.Payload randomMessage(Random random) {
        io.cairn.api.wire.generated.Payload.Builder message = io.cairn.api.wire.generated.Payload.newBuilder();
        if (random.nextInt(10) > 0) {
            Metadata.Builder metadata = Metadata.newBuilder();
            if (random.nextInt(5) > 0) {
                metadata.setType(randomText(random));
            }
            if (random.nextBoolean()) {
                metadata.setClientIp(randomText(random));
            }
            metadata.putAllHeaders(randomHeaders(random));
            if (random.nextInt(3) == 0) {
                metadata.setUnknownFields(randomUnknown(random, 9));
            }
            message.setMetadata(metadata);
        }
        if (random.nextInt(10) > 0) {
            Any.Builder body = Any.newBuilder()
                    .setValue(ByteString.copyFromUtf8(randomText(random).repeat(random.nextInt(8))));
            if (random.nextInt(3) == 0) {
                body.setTypeUrl(randomText(random));
            }
            if (random.nextInt(3) == 0) {
                body.setUnknownFields(randomUnknown(random, 3));
            }
            message.setBody(body);
        }
        if (random.nextInt(3) == 0) {
            message.setUnknownFields(randomUnknown(random, 4));
        }
        return message.build();
    }

    private static UnknownFieldSet randomUnknown(Random random, int fromField) {
        UnknownFieldSet.Builder unknown = UnknownFieldSet.newBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            UnknownFieldSet.Field.Builder field = UnknownFieldSet.Field.newBuilder();
            switch (random.nextInt(4)) {
                case 0 -> field.addVarint(random.nextLong());
                case 1 -> field.addFixed32(random.nextInt());
                case 2 -> field.addFixed64(random.nextLong());
                default -> field.addLengthDelimited(ByteString.copyFromUtf8(randomText(random)));
            }
            unknown.mergeField(fromField + random.nextInt(5_000), field.build());
        }
        return unknown.build();
    }

    private static Map<String, String> randomHeaders(Random random) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            headers.put("header-" + i + (random.nextBoolean() ? "-Name" : ""), randomText(random));
        }
        return headers;
    }

    private static String randomText(Random random) {
        int length = random.nextInt(20) == 0 ? random.nextInt(20_000) : random.nextInt(30);
        int limit = random.nextBoolean() ? 0x80 : Character.MAX_CODE_POINT + 1;
        return random.ints(0, limit)
                .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
                .limit(length)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static byte[] entry(String name, String value) {
        return concat(delimited(1, utf8(name)), delimited(2, utf8(value)));
    }

    private static byte[] unknown(int field) {
        return delimited(field, utf8("unknown"));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
