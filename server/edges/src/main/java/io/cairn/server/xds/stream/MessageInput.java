package io.cairn.server.xds.stream;

import io.cairn.server.xds.resource.Protobuf;
import java.nio.charset.StandardCharsets;

/** Reads the fields of a protobuf message, perhaps an inner one, in order. */
final class MessageInput {

    private final byte[] bytes;
    private final int end;
    private int at;
    private int tag;
    private int fieldStart;
    private int valueStart;
    private int valueEnd;

    MessageInput(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    private MessageInput(byte[] bytes, int start, int end) {
        this.bytes = bytes;
        this.at = start;
        this.end = end;
    }

    /** An unreadable message. */
    static final class MalformedException extends RuntimeException {

        MalformedException(String why) {
            super(why, null, false, false);
        }
    }

    /** False at the end. */
    boolean next() {
        if (at >= end) {
            return false;
        }
        fieldStart = at;
        long read = varint();
        tag = (int) read;
        valueStart = at;
        switch (tag & 7) {
            case Protobuf.VARINT -> varint();
            case Protobuf.FIXED64 -> skip(8);
            case Protobuf.FIXED32 -> skip(4);
            case Protobuf.DELIMITED -> {
                long length = varint();
                valueStart = at;
                skip(length);
            }
            default -> throw new MalformedException("a field of an unknown kind at byte " + fieldStart);
        }
        valueEnd = at;
        return true;
    }

    int field() {
        return tag >>> 3;
    }

    boolean isDelimited() {
        return (tag & 7) == Protobuf.DELIMITED;
    }

    /** With its tag. */
    int fieldStart() {
        return fieldStart;
    }

    String text() {
        mustBeDelimited();
        return new String(bytes, valueStart, valueEnd - valueStart, StandardCharsets.UTF_8);
    }

    /** @param of the subject of the error for a too long text */
    String text(int maxBytes, String of) {
        if (valueEnd - valueStart > maxBytes) {
            throw new XdsLimits.ExceededException(of + ": " + (valueEnd - valueStart) + " bytes", maxBytes);
        }
        return text();
    }

    MessageInput message() {
        mustBeDelimited();
        return new MessageInput(bytes, valueStart, valueEnd);
    }

    long number() {
        if ((tag & 7) != Protobuf.VARINT) {
            throw new MalformedException("field " + field() + " is not a number");
        }
        int present = at;
        at = valueStart;
        long value = varint();
        at = present;
        return value;
    }

    boolean flag() {
        return number() != 0;
    }

    private void mustBeDelimited() {
        if (!isDelimited()) {
            throw new MalformedException("field " + field() + " is neither a text nor a message");
        }
    }

    private void skip(long length) {
        if (length < 0 || length > end - at) {
            throw new MalformedException("a length of " + length + " at byte " + at + " (left: " + (end - at) + ")");
        }
        at += (int) length;
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at >= end) {
                throw new MalformedException("cut off in a number at byte " + at);
            }
            byte b = bytes[at++];
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
        throw new MalformedException("a number without end at byte " + at);
    }
}
