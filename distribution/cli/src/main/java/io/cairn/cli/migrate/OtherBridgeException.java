package io.cairn.cli.migrate;

/** Another bridge connects these servers, so this one must end. */
public final class OtherBridgeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OtherBridgeException(String message) {
        super(message);
    }
}
