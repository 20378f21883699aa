package io.cairn.server.http2;

import io.netty.buffer.ByteBuf;

/**
 * Receives the frames that {@link FrameReader} has read. Lengths, stream numbers and flags are right as far as a single frame shows it; buffers
 * are good during the call only.
 */
interface FrameListener {

    /**
     * RFC 9113, section 6.1.
     *
     * @param offset where in the buffer the data begin, without padding
     * @param length of the data
     * @param charged what counts for flow control: data and padding
     */
    void onData(int stream, ByteBuf buffer, int offset, int length, int charged, boolean end) throws Http2Failure;

    /** Sections 6.2 and 6.10: a header block, its continuations put together; between the buffer's indexes. */
    void onHeaders(int stream, ByteBuf block, boolean end) throws Http2Failure;

    /** Section 6.3: a stream that is said to depend on itself. */
    void onSelfDependency(int stream) throws Http2Failure;

    /** Section 6.4. */
    void onReset(int stream) throws Http2Failure;

    /** Section 6.5, for each setting. */
    void onSetting(int id, long value) throws Http2Failure;

    /** After the last setting of a frame. */
    void onSettingsEnd() throws Http2Failure;

    /** Section 6.7. */
    void onPing(long data, boolean ack) throws Http2Failure;

    /** Section 6.9; an increment of 0 is passed on. */
    void onWindowUpdate(int stream, int increment) throws Http2Failure;
}
