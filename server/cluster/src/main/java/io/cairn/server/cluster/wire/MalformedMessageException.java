package io.cairn.server.cluster.wire;

/** A received message is unreadable; the text names the field. The message is dropped whole. */
public final class MalformedMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MalformedMessageException(String field, String found) {
        super(field + ": " + found);
    }
}
