package io.cairn.benchmark.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * A Nacos {@code Payload} of which three fields matter: {@code metadata.type}, {@code metadata.clientIp} and the JSON in
 * {@code body.value}. Written as one length-prefixed gRPC message; read as a view of the received bytes, which is valid
 * only during the call that hands it over.
 */
public final class Envelope {
    /** The five bytes before every gRPC message: not compressed, and its length. */
    static final int PREFIX_BYTES = 5;

    private static final byte[] CLIENT_IP = "127.0.0.1".getBytes(US_ASCII);
    private static final byte[] ACCESS_TOKEN = "accessToken".getBytes(US_ASCII);
    private static final byte[] SUCCESS = "\"resultCode\":200".getBytes(US_ASCII);

    private static final int PAYLOAD_METADATA = 2;
    private static final int PAYLOAD_BODY = 3;
    private static final int METADATA_TYPE = 3;
    private static final int METADATA_HEADERS = 7;
    private static final int METADATA_CLIENT_IP = 8;
    private static final int ENTRY_KEY = 1;
    private static final int ENTRY_VALUE = 2;
    private static final int ANY_VALUE = 2;
    private static final int LENGTH_DELIMITED = 2;

    private final ByteBuf bytes;
    private int metadataIndex;
    private int metadataEnd;
    private int typeIndex;
    private int typeLength;
    private int bodyIndex;
    private int bodyLength;

    private Envelope(ByteBuf bytes) {
        this.bytes = bytes;
    }

    /** Reads the protobuf message at {@code index}, without its gRPC prefix. */
    public static Envelope read(ByteBuf bytes, int index, int length) {
        var envelope = new Envelope(bytes);
        int end = index + length;
        var cursor = new ProtoReader(bytes, index);
        while (cursor.index < end) {
            int tag = cursor.varint();
            if (tag >>> 3 == PAYLOAD_METADATA && (tag & 7) == LENGTH_DELIMITED) {
                int size = cursor.varint();
                envelope.readMetadata(new ProtoReader(bytes, cursor.index), cursor.index + size);
                cursor.index += size;
            } else if (tag >>> 3 == PAYLOAD_BODY && (tag & 7) == LENGTH_DELIMITED) {
                int size = cursor.varint();
                envelope.readBody(new ProtoReader(bytes, cursor.index), cursor.index + size);
                cursor.index += size;
            } else {
                cursor.skip(tag);
            }
        }
        return envelope;
    }

    /** As {@link #read}, of a message of which only the first bytes are here; so is its body. */
    static Envelope readHead(ByteBuf bytes, int length) {
        Envelope envelope = read(bytes, 0, length);
        envelope.bodyLength = Math.max(0, Math.min(envelope.bodyLength, length - envelope.bodyIndex));
        return envelope;
    }

    private void readMetadata(ProtoReader cursor, int end) {
        metadataIndex = cursor.index;
        metadataEnd = end;
        while (cursor.index < end) {
            int tag = cursor.varint();
            if (tag >>> 3 == METADATA_TYPE && (tag & 7) == LENGTH_DELIMITED) {
                typeLength = cursor.varint();
                typeIndex = cursor.index;
                cursor.index += typeLength;
            } else {
                cursor.skip(tag);
            }
        }
    }

    private void readBody(ProtoReader cursor, int end) {
        while (cursor.index < end) {
            int tag = cursor.varint();
            if (tag >>> 3 == ANY_VALUE && (tag & 7) == LENGTH_DELIMITED) {
                bodyLength = cursor.varint();
                bodyIndex = cursor.index;
                cursor.index += bodyLength;
            } else {
                cursor.skip(tag);
            }
        }
    }

    /** The gRPC message, prefix included, of a request or answer with this JSON body. */
    public static byte[] write(String type, String json) {
        byte[] body = json.getBytes(UTF_8);
        return write(type, body, body.length);
    }

    /** As {@link #write(String, String)}, of the first {@code bodyBytes} bytes of {@code body}. */
    public static byte[] write(String type, byte[] body, int bodyBytes) {
        return write(type.getBytes(US_ASCII), null, body, bodyBytes);
    }

    /** The same request with a token among the headers of its metadata, where SDKs send it. */
    static byte[] withToken(byte[] request, String token) {
        Envelope plain = read(Unpooled.wrappedBuffer(request), PREFIX_BYTES, request.length - PREFIX_BYTES);
        byte[] body = new byte[plain.bodyLength];
        plain.bytes.getBytes(plain.bodyIndex, body);
        return write(plain.type().getBytes(US_ASCII), token.getBytes(US_ASCII), body, body.length);
    }

    private static byte[] write(byte[] type, byte @Nullable [] token, byte[] body, int bodyBytes) {
        int header = token == null ? 0 : sizeOfField(ACCESS_TOKEN.length) + sizeOfField(token.length);
        int metadata =
                sizeOfField(type.length) + sizeOfField(CLIENT_IP.length) + (token == null ? 0 : sizeOfField(header));
        int any = sizeOfField(bodyBytes);
        int message = sizeOfField(metadata) + sizeOfField(any);
        byte[] out = new byte[PREFIX_BYTES + message];
        out[1] = (byte) (message >>> 24);
        out[2] = (byte) (message >>> 16);
        out[3] = (byte) (message >>> 8);
        out[4] = (byte) message;
        int at = putTag(out, PREFIX_BYTES, PAYLOAD_METADATA, metadata);
        at = putField(out, at, METADATA_TYPE, type, type.length);
        at = putField(out, at, METADATA_CLIENT_IP, CLIENT_IP, CLIENT_IP.length);
        if (token != null) {
            at = putTag(out, at, METADATA_HEADERS, header);
            at = putField(out, at, ENTRY_KEY, ACCESS_TOKEN, ACCESS_TOKEN.length);
            at = putField(out, at, ENTRY_VALUE, token, token.length);
        }
        at = putTag(out, at, PAYLOAD_BODY, any);
        putField(out, at, ANY_VALUE, body, bodyBytes);
        return out;
    }

    public String type() {
        return bytes.toString(typeIndex, typeLength, US_ASCII);
    }

    /** A header of the metadata, such as {@code Cairn-Visible}; null when there is none of that name. */
    public @Nullable String header(String name) {
        var cursor = new ProtoReader(bytes, metadataIndex);
        while (cursor.index < metadataEnd) {
            int tag = cursor.varint();
            if (tag >>> 3 != METADATA_HEADERS || (tag & 7) != LENGTH_DELIMITED) {
                cursor.skip(tag);
                continue;
            }
            String key = "";
            String value = "";
            int end = cursor.varint();
            end += cursor.index;
            while (cursor.index < end) {
                int part = cursor.varint();
                int length = cursor.varint();
                String text = bytes.toString(cursor.index, length, UTF_8);
                cursor.index += length;
                if (part >>> 3 == ENTRY_KEY) {
                    key = text;
                } else if (part >>> 3 == ENTRY_VALUE) {
                    value = text;
                }
            }
            if (key.equals(name)) {
                return value;
            }
        }
        return null;
    }

    public String body() {
        return bytes.toString(bodyIndex, bodyLength, UTF_8);
    }

    public int bodyBytes() {
        return bodyLength;
    }

    /** Whether the JSON says {@code "resultCode":200}. */
    public boolean isSuccess() {
        return indexOf(SUCCESS) >= 0;
    }

    /** Null for a success, else what the server said, on one line. */
    public @Nullable String refusal() {
        if (isSuccess()) {
            return null;
        }
        String body = body();
        return type() + " " + (body.length() > 200 ? body.substring(0, 200) + "..." : body);
    }

    /** The value of a string member of the JSON that holds no escapes, such as a data id; null when there is none. */
    public @Nullable String member(Member member) {
        int start = indexOf(member.opening);
        if (start < 0) {
            return null;
        }
        start += member.opening.length;
        int end = bytes.indexOf(start, bodyIndex + bodyLength, (byte) '"');
        return end < 0 ? null : bytes.toString(start, end - start, UTF_8);
    }

    private int indexOf(byte[] wanted) {
        int last = bodyIndex + bodyLength - wanted.length;
        for (int i = bodyIndex; i <= last; i++) {
            int k = 0;
            while (k < wanted.length && bytes.getByte(i + k) == wanted[k]) {
                k++;
            }
            if (k == wanted.length) {
                return i;
            }
        }
        return -1;
    }

    private static int sizeOfField(int length) {
        return 1 + sizeOfVarint(length) + length;
    }

    private static int sizeOfVarint(int value) {
        int size = 1;
        for (int rest = value >>> 7; rest != 0; rest >>>= 7) {
            size++;
        }
        return size;
    }

    private static int putField(byte[] out, int index, int field, byte[] value, int length) {
        int at = putTag(out, index, field, length);
        System.arraycopy(value, 0, out, at, length);
        return at + length;
    }

    private static int putTag(byte[] out, int index, int field, int length) {
        int at = index;
        out[at++] = (byte) (field << 3 | LENGTH_DELIMITED);
        int rest = length;
        while (rest > 0x7f) {
            out[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        out[at++] = (byte) rest;
        return at;
    }

    /** The name of a string member, as it stands in compact JSON. */
    public static final class Member {
        public static final Member DATA_ID = new Member("dataId");
        public static final Member REQUEST_ID = new Member("requestId");
        public static final Member MD5 = new Member("md5");
        public static final Member SERVICE_NAME = new Member("serviceName");
        public static final Member TYPE = new Member("type");

        private final byte[] opening;

        private Member(String name) {
            opening = ("\"" + name + "\":\"").getBytes(US_ASCII);
        }
    }
}
