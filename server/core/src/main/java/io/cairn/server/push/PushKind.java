package io.cairn.server.push;

/** @param sent called after each push, retries included */
public record PushKind(PushSettings settings, PushMeters meters, Sent sent) {

    public PushKind(PushSettings settings, PushMeters meters) {
        this(settings, meters, (key, receiver) -> {});
    }

    /** Called after a push was sent, on the event loop of its receiver. */
    @FunctionalInterface
    public interface Sent {

        void sent(Object key, PushQueue.Receiver receiver);
    }
}
