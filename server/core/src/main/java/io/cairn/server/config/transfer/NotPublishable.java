package io.cairn.server.config.transfer;

/** Why a configuration of an archive is left out. */
final class NotPublishable extends Exception {

    private static final long serialVersionUID = 1;

    NotPublishable(String reason) {
        super(reason, null, false, false);
    }

    /** For the user. */
    String reason() {
        return String.valueOf(getMessage());
    }
}
