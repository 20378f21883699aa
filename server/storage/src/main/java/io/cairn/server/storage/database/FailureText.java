package io.cairn.server.storage.database;

import io.cairn.api.error.CairnException;
import java.util.concurrent.CompletionException;

public final class FailureText {

    private FailureText() {}

    /** One line: a failed command's own failure, or a text for users. */
    public static String of(RuntimeException failure) {
        Throwable cause = failure.getCause();
        Throwable own = failure instanceof CompletionException && cause != null ? cause : failure;
        return own instanceof CairnException known ? known.text() : own.toString();
    }
}
