package io.cairn.api.wire;

import org.jspecify.annotations.Nullable;

/** The fields that every response has, as a client reads them. Not thread-safe. */
public final class AnswerFields {

    private int resultCode = WireError.RESULT_OK;
    private int errorCode;
    private @Nullable String message;

    /** Reads a response that has no further fields. */
    public static AnswerFields read(JsonInput in) {
        AnswerFields answer = new AnswerFields();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (!answer.read(field, in)) {
                in.skip();
            }
        }
        return answer;
    }

    /** Reads the field when it is one of these. Returns false, without consuming anything, when it is another field. */
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

    /** See {@link WireError}; the code of the result when the response gives no error code of its own. */
    public int errorCode() {
        return errorCode == 0 ? resultCode : errorCode;
    }

    /** The server's message; empty when there is none. */
    public String message() {
        return message == null ? "" : message;
    }
}
