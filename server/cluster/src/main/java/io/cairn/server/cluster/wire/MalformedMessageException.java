package io.cairn.server.cluster.wire;

/** A message of another node that this one cannot read; the text names the field. The message is dropped whole. */
public final class MalformedMessageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    MalformedMessageException(String field, String found) {
        super(field + ": " + found);
    }
}
