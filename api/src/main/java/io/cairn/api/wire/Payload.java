package io.cairn.api.wire;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message in its protobuf envelope ({@code src/main/proto/cairn_wire.proto}), kept as the bytes on the wire and read in place.
 *
 * <p>Encoded and decoded by hand, so that client and server need no protobuf at run time. Immutable, unless the caller changes an array that it passed in.
 */
public final class Payload extends EncodedMessage {

    private static final int TAG_METADATA = 2 << 3 | 2;
    private static final int TAG_BODY = 3 << 3 | 2;
    private static final int TAG_METADATA_TYPE = 3 << 3 | 2;
    private static final int TAG_METADATA_HEADERS = 7 << 3 | 2;
    private static final int TAG_METADATA_CLIENT_IP = 8 << 3 | 2;
    private static final int TAG_ENTRY_KEY = 1 << 3 | 2;
    private static final int TAG_ENTRY_VALUE = 2 << 3 | 2;
    private static final int TAG_ANY_VALUE = 2 << 3 | 2;

    private final String type;
    private final int bodyOffset;
    private final int bodyLength;
    private final int metadataOffset;
    private final int metadataEnd;
    private final @Nullable String malformation;
    private final List<SharedPart.Place> parts;

    private Payload(
            byte[] encoded,
            String type,
            int bodyOffset,
            int bodyLength,
            int metadataOffset,
            int metadataEnd,
            @Nullable String malformation) {
        this(encoded, type, bodyOffset, bodyLength, metadataOffset, metadataEnd, malformation, List.of());
    }

    private Payload(
            byte[] encoded,
            String type,
            int bodyOffset,
            int bodyLength,
            int metadataOffset,
            int metadataEnd,
            @Nullable String malformation,
            List<SharedPart.Place> parts) {
        super(encoded);
        this.type = type;
        this.bodyOffset = bodyOffset;
        this.bodyLength = bodyLength;
        this.metadataOffset = metadataOffset;
        this.metadataEnd = metadataEnd;
        this.malformation = malformation;
        this.parts = parts;
    }

    public static Payload of(String type, byte[] json) {
        return of(type, null, json);
    }

    public static Payload of(String type, @Nullable String clientIp, byte[] json) {
        return of(type, clientIp, Map.of(), json);
    }

    /** Avoids a copy of a large body; the output must not be used afterwards. */
    public static Payload of(String type, @Nullable String clientIp, JsonOutput body) {
        Payload message = of(type, clientIp, Map.of(), body.end());
        body.copyTo(message.encoded, message.bodyOffset);
        return body.parts().isEmpty() ? message : message.withParts(body.parts());
    }

    private Payload withParts(List<SharedPart.Place> partsOfBody) {
        return new Payload(
                encoded,
                type,
                bodyOffset,
                bodyLength,
                metadataOffset,
                metadataEnd,
                malformation,
                partsOfBody.stream().map(place -> place.after(bodyOffset)).toList());
    }

    public static Payload of(String type, @Nullable String clientIp, Map<String, String> headers, byte[] json) {
        Payload message = of(type, clientIp, headers, json.length);
        System.arraycopy(json, 0, message.encoded, message.bodyOffset, json.length);
        return message;
    }

    private static Payload of(String type, @Nullable String clientIp, Map<String, String> headers, int bodyLength) {
        byte[] typeBytes = type.getBytes(StandardCharsets.UTF_8);
        byte[] ipBytes = clientIp == null ? new byte[0] : clientIp.getBytes(StandardCharsets.UTF_8);
        byte[][] entries = encodeHeaders(headers);
        int metadataLength = delimitedSize(typeBytes.length) + (clientIp == null ? 0 : delimitedSize(ipBytes.length));
        for (byte[] entry : entries) {
            metadataLength += delimitedSize(entry.length);
        }
        int anyLength = delimitedSize(bodyLength);
        byte[] out = new byte[delimitedSize(metadataLength) + delimitedSize(anyLength)];
        int at = writeTagAndLength(out, 0, TAG_METADATA, metadataLength);
        int metadataOffset = at;
        at = writeDelimited(out, at, TAG_METADATA_TYPE, typeBytes);
        for (byte[] entry : entries) {
            at = writeDelimited(out, at, TAG_METADATA_HEADERS, entry);
        }
        if (clientIp != null) {
            at = writeDelimited(out, at, TAG_METADATA_CLIENT_IP, ipBytes);
        }
        int metadataEnd = at;
        at = writeTagAndLength(out, at, TAG_BODY, anyLength);
        at = writeTagAndLength(out, at, TAG_ANY_VALUE, bodyLength);
        return new Payload(out, type, at, bodyLength, metadataOffset, metadataEnd, null);
    }

    public Payload with(String header, String value) {
        byte[] entry = encodeHeaders(Map.of(header, value))[0];
        int oldLength = metadataEnd - metadataOffset;
        int metadataLength = oldLength + delimitedSize(entry.length);
        int anyLength = delimitedSize(bodyLength);
        byte[] out = new byte[delimitedSize(metadataLength) + delimitedSize(anyLength)];
        int at = writeTagAndLength(out, 0, TAG_METADATA, metadataLength);
        int offset = at;
        System.arraycopy(encoded, metadataOffset, out, at, oldLength);
        at = writeDelimited(out, at + oldLength, TAG_METADATA_HEADERS, entry);
        int end = at;
        at = writeTagAndLength(out, at, TAG_BODY, anyLength);
        at = writeTagAndLength(out, at, TAG_ANY_VALUE, bodyLength);
        System.arraycopy(encoded, bodyOffset, out, at, bodyLength);
        return new Payload(out, type, at, bodyLength, offset, end, malformation);
    }

    @Override
    protected List<SharedPart.Place> parts() {
        return parts;
    }

    private static byte[][] encodeHeaders(Map<String, String> headers) {
        byte[][] entries = new byte[headers.size()][];
        int next = 0;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            byte[] name = header.getKey().getBytes(StandardCharsets.UTF_8);
            byte[] value = header.getValue().getBytes(StandardCharsets.UTF_8);
            byte[] entry = new byte[delimitedSize(name.length) + delimitedSize(value.length)];
            int at = writeDelimited(entry, 0, TAG_ENTRY_KEY, name);
            writeDelimited(entry, at, TAG_ENTRY_VALUE, value);
            entries[next++] = entry;
        }
        return entries;
    }

    /** Reads an envelope. Never throws: an invalid one has a {@link #malformation()} and an empty type and body. */
    public static Payload read(byte[] encoded) {
        try {
            return new Parser(encoded).parse();
        } catch (IllegalArgumentException e) {
            return new Payload(encoded, "", 0, 0, 0, 0, e.getMessage());
        }
    }

    /** A placeholder for a message that could not be read; {@link #malformation()} returns the reason. */
    public static Payload unreadable(String why) {
        return new Payload(new byte[0], "", 0, 0, 0, 0, why);
    }

    /** The wire name of the message; empty when absent. */
    public String type() {
        return type;
    }

    /** The reason why the bytes are not a valid envelope; null when they are. */
    public @Nullable String malformation() {
        return malformation;
    }

    int bodyOffset() {
        return bodyOffset;
    }

    /** In bytes. */
    public int bodyLength() {
        return bodyLength;
    }

    public String bodyText() {
        return new String(encoded, bodyOffset, bodyLength, StandardCharsets.UTF_8);
    }

    /** The client address in the metadata; null when absent. */
    public @Nullable String clientIp() {
        String clientIp = null;
        for (int at = metadataOffset; at < metadataEnd; at = skip(encoded, at, metadataEnd)) {
            if (varint(encoded, at, metadataEnd) == TAG_METADATA_CLIENT_IP) {
                clientIp = text(at, metadataEnd);
            }
        }
        return clientIp == null || clientIp.isEmpty() ? null : clientIp;
    }

    /** The value of a header, whose name ignores ASCII case; null when absent. */
    public @Nullable String header(String name) {
        String found = null;
        for (int at = metadataOffset; at < metadataEnd; at = skip(encoded, at, metadataEnd)) {
            if (varint(encoded, at, metadataEnd) == TAG_METADATA_HEADERS) {
                int start = valueStart(encoded, at);
                String value = entryValue(start, start + valueLength(encoded, at, metadataEnd), name);
                // In a protobuf map, the last entry of a key counts.
                found = value == null ? found : value;
            }
        }
        return found;
    }

    private @Nullable String entryValue(int from, int end, String name) {
        boolean matches = false;
        int valueAt = -1;
        for (int at = from; at < end; at = skip(encoded, at, end)) {
            int tag = varint(encoded, at, end);
            if (tag == TAG_ENTRY_KEY) {
                matches = equalsIgnoringCase(valueStart(encoded, at), valueLength(encoded, at, end), name);
            } else if (tag == TAG_ENTRY_VALUE) {
                valueAt = at;
            }
        }
        // Only the requested header becomes a String.
        if (!matches) {
            return null;
        }
        return valueAt < 0 ? "" : text(valueAt, end);
    }

    private String text(int at, int end) {
        return new String(encoded, valueStart(encoded, at), valueLength(encoded, at, end), StandardCharsets.UTF_8);
    }

    private boolean equalsIgnoringCase(int start, int length, String name) {
        if (length != name.length()) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (lower(encoded[start + i]) != lower((byte) name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static int lower(byte c) {
        return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    }

    @Override
    public String toString() {
        return malformation != null ? "malformed payload: " + malformation : type + ' ' + bodyText();
    }

    private static int delimitedSize(int length) {
        return 1 + varintSize(length) + length;
    }

    private static int varintSize(int value) {
        int size = 1;
        for (int rest = value >>> 7; rest != 0; rest >>>= 7) {
            size++;
        }
        return size;
    }

    private static int writeDelimited(byte[] out, int at, int tag, byte[] value) {
        int start = writeTagAndLength(out, at, tag, value.length);
        System.arraycopy(value, 0, out, start, value.length);
        return start + value.length;
    }

    private static int writeTagAndLength(byte[] out, int at, int tag, int length) {
        int next = at;
        out[next++] = (byte) tag;
        int rest = length;
        while ((rest & ~0x7f) != 0) {
            out[next++] = (byte) (rest & 0x7f | 0x80);
            rest >>>= 7;
        }
        out[next++] = (byte) rest;
        return next;
    }

    /** A varint of at most five bytes before {@code end}. */
    private static int varint(byte[] bytes, int from, int end) {
        long value = 0;
        for (int i = 0; i < 5; i++) {
            if (from + i >= end) {
                throw new IllegalArgumentException("cut off in a length at byte " + (from + i));
            }
            byte b = bytes[from + i];
            value |= (long) (b & 0x7f) << (7 * i);
            if (b >= 0) {
                if (value > Integer.MAX_VALUE) {
                    throw new IllegalArgumentException("a length of " + value + " at byte " + from);
                }
                return (int) value;
            }
        }
        throw new IllegalArgumentException("a length without end at byte " + from);
    }

    /** The size of a varint in bytes; its end is not checked. */
    private static int varintBytes(byte[] bytes, int at) {
        int length = 1;
        while (at + length - 1 < bytes.length && bytes[at + length - 1] < 0) {
            length++;
        }
        return length;
    }

    private static int valueStart(byte[] bytes, int at) {
        int lengthAt = at + varintBytes(bytes, at);
        return lengthAt + varintBytes(bytes, lengthAt);
    }

    /** The length of the value of a length-delimited field, checked against {@code end}. */
    private static int valueLength(byte[] bytes, int at, int end) {
        int lengthAt = at + varintBytes(bytes, at);
        int length = varint(bytes, lengthAt, end);
        int left = end - lengthAt - varintBytes(bytes, lengthAt);
        if (length > left) {
            throw new IllegalArgumentException(
                    "a length of " + length + " at byte " + lengthAt + " (left: " + left + ")");
        }
        return length;
    }

    private static int skip(byte[] bytes, int at, int end) {
        int tag = varint(bytes, at, end);
        int start = at + varintBytes(bytes, at);
        int next =
                switch (tag & 7) {
                    case 0 -> start + varintBytes(bytes, start);
                    case 1 -> start + 8;
                    case 2 -> valueStart(bytes, at) + valueLength(bytes, at, end);
                    case 5 -> start + 4;
                    default -> throw new IllegalArgumentException("unknown wire type in tag " + tag);
                };
        if (next > end || tag >>> 3 == 0) {
            throw new IllegalArgumentException("cut off after tag " + tag + " at byte " + start);
        }
        return next;
    }

    /** Records the positions of metadata and body, and skips unknown fields. */
    private static final class Parser {

        private final byte[] bytes;
        private String type = "";
        private int bodyOffset;
        private int bodyLength;
        private int metadataOffset;
        private int metadataEnd;

        Parser(byte[] bytes) {
            this.bytes = bytes;
        }

        Payload parse() {
            int next;
            for (int at = 0; at < bytes.length; at = next) {
                next = skip(bytes, at, bytes.length);
                int tag = varint(bytes, at, bytes.length);
                if (tag == TAG_METADATA) {
                    if (metadataOffset > 0) {
                        // Protobuf would merge the two, but no client sends two, and the lookups expect contiguous
                        // metadata.
                        throw new IllegalArgumentException("a second metadata field at byte " + at);
                    }
                    metadataOffset = valueStart(bytes, at);
                    metadataEnd = next;
                    readMetadata();
                } else if (tag == TAG_BODY) {
                    readAny(valueStart(bytes, at), next);
                }
            }
            return new Payload(bytes, type, bodyOffset, bodyLength, metadataOffset, metadataEnd, null);
        }

        private void readMetadata() {
            int next;
            for (int at = metadataOffset; at < metadataEnd; at = next) {
                next = skip(bytes, at, metadataEnd);
                int tag = varint(bytes, at, metadataEnd);
                if (tag == TAG_METADATA_TYPE) {
                    int start = valueStart(bytes, at);
                    type = new String(bytes, start, next - start, StandardCharsets.UTF_8);
                } else if (tag == TAG_METADATA_HEADERS) {
                    checkEntry(valueStart(bytes, at), next);
                }
            }
        }

        private void checkEntry(int from, int end) {
            int at = from;
            while (at < end) {
                at = skip(bytes, at, end);
            }
        }

        private void readAny(int from, int end) {
            int next;
            for (int at = from; at < end; at = next) {
                next = skip(bytes, at, end);
                if (varint(bytes, at, end) == TAG_ANY_VALUE) {
                    bodyOffset = valueStart(bytes, at);
                    bodyLength = next - bodyOffset;
                }
            }
        }
    }
}
