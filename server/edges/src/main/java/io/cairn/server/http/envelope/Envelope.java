package io.cairn.server.http.envelope;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpResponse;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Puts answers into {@code {"code","message","data"}}. Immutable and thread-safe. */
public final class Envelope {

    private final UnaryOperator<HttpResponse.Builder> headers;
    private final HttpResponse ok;

    /** @param headers adds what all answers of the version carry */
    public Envelope(UnaryOperator<HttpResponse.Builder> headers) {
        this.headers = headers;
        this.ok = success("ok");
    }

    /** Success, with nothing more to say than {@code ok}. */
    public HttpResponse ok() {
        return ok;
    }

    /** Success, with a text. */
    public HttpResponse success(String data) {
        return success(64 + data.length(), out -> out.text("data", data));
    }

    /**
     * Success.
     *
     * @param expectedBytes a guess of the size of the data
     * @param data writes one field of the name {@code data}
     */
    public HttpResponse success(int expectedBytes, Consumer<JsonOutput> data) {
        JsonOutput out = begin(expectedBytes, DetailCode.SUCCESS);
        data.accept(out);
        return plain(200, out.toBytes());
    }

    /** Success, with a record or a list of records that Jackson writes. */
    public HttpResponse written(Object data) {
        byte[] json = JsonBody.of(data);
        return success(json.length, out -> out.json("data", json));
    }

    /** As {@link #written(Object)}, for data of all nodes that have answered. */
    public HttpResponse written(Object data, SilentNodes silent) {
        return json(JsonBody.of(data), silent);
    }

    /** Success, with data of all nodes that have answered, in JSON. */
    public HttpResponse json(byte[] data, SilentNodes silent) {
        return silent.named(success(data.length, out -> {
            out.json("data", data);
            silent.addTo(out);
        }));
    }

    /** Success as {@link #success(int, Consumer)}, in an answer that has its headers already. */
    public HttpResponse success(HttpResponse.Builder answer, int expectedBytes, Consumer<JsonOutput> data) {
        JsonOutput out = begin(expectedBytes, DetailCode.SUCCESS);
        data.accept(out);
        return answer.body(out.toBytes());
    }

    /** A failure with its details. */
    public HttpResponse failure(int status, DetailCode code, @Nullable String data) {
        JsonOutput out = begin(data == null ? 0 : data.length(), code);
        if (data == null) {
            out.json("data", "null");
        } else {
            out.text("data", data);
        }
        return plain(status, out.toBytes());
    }

    /** A failure whose details are JSON already. */
    public HttpResponse failureWith(int status, DetailCode code, byte[] data) {
        return plain(status, begin(data.length, code).json("data", data).toBytes());
    }

    /** As {@link #failureWith(int, DetailCode, byte[])}, with a cause behind the text of the code. */
    public HttpResponse failureWith(int status, DetailCode code, String cause, byte[] data) {
        JsonOutput out = new JsonOutput(data.length + cause.length() + 64)
                .number("code", code.number())
                .text("message", code.text() + ": " + cause);
        return plain(status, out.json("data", data).toBytes());
    }

    /** JSON without an envelope. */
    public HttpResponse plain(int status, byte[] json) {
        return start(status).contentType(HttpResponse.JSON).body(json);
    }

    /** An answer with the headers of the version. */
    public HttpResponse.Builder start(int status) {
        return headers.apply(HttpResponse.status(status));
    }

    private static JsonOutput begin(int expectedBytes, DetailCode code) {
        return new JsonOutput(expectedBytes + 64).number("code", code.number()).text("message", code.text());
    }
}
