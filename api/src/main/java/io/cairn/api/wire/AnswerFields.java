package io.cairn.api.wire;

import org.jspecify.annotations.Nullable;

/** The fields of every response. Not thread-safe. */
public final class AnswerFields {

    private int resultCode = WireError.RESULT_OK;
    private int errorCode;
    private @Nullable String message;

    public static AnswerFields read(JsonInput in) {
        AnswerFields answer = new AnswerFields();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (!answer.read(field, in)) {
                in.skip();
            }
        }
        return answer;
    }

    /** Reads a common field; returns false, without consuming it, for another field. */
    public boolean read(String field, JsonInput in) {
        switch (field) {
            case "resultCode" -> resultCode = in.number(WireError.RESULT_OK);
            case "errorCode" -> errorCode = in.number(0);
            case "message" -> message = in.text();
            default -> {
                return false;
            }
        }
        return true;
    }

    public boolean succeeded() {
        return resultCode == WireError.RESULT_OK;
    }

    /** A code of {@link WireError}; the result code when the response has no error code. */
    public int errorCode() {
        return errorCode == 0 ? resultCode : errorCode;
    }

    public String message() {
        return message == null ? "" : message;
    }
}
