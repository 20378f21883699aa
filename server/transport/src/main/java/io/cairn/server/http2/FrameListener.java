package io.cairn.server.http2;

import io.netty.buffer.ByteBuf;

/**
 * Receives frames from {@link FrameReader}, which has checked each frame by itself. Buffers are valid during the call only.
 */
interface FrameListener {

    /**
     * RFC 9113, section 6.1.
     *
     * @param offset of the data in the buffer, after the padding length
     * @param charged the bytes for flow control: data and padding
     */
    void onData(int stream, ByteBuf buffer, int offset, int length, int charged, boolean end) throws Http2Failure;

    /** Sections 6.2 and 6.10: a header block with its continuations, between the buffer's indexes. */
    void onHeaders(int stream, ByteBuf block, boolean end) throws Http2Failure;

    /** Section 6.3: a stream that depends on itself. */
    void onSelfDependency(int stream) throws Http2Failure;

    /** Section 6.4. */
    void onReset(int stream) throws Http2Failure;

    /** Section 6.5, for each setting. */
    void onSetting(int id, long value) throws Http2Failure;

    /** After the last setting of a frame. */
    void onSettingsEnd() throws Http2Failure;

    /** Section 6.7. */
    void onPing(long data, boolean ack) throws Http2Failure;

    /** Section 6.9; the increment may be 0. */
    void onWindowUpdate(int stream, int increment) throws Http2Failure;
}
