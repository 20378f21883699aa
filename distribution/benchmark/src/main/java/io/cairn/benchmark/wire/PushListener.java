package io.cairn.benchmark.wire;

/** Hears the server's pushes, before they are acknowledged. Called on the connection's event loop. */
public interface PushListener {
    PushListener NONE = (connection, push) -> {};

    /** The push is readable only until this returns; the connection acknowledges it soon after. */
    void pushed(GrpcConnection connection, Envelope push);
}
