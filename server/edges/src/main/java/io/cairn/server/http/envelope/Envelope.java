package io.cairn.server.http.envelope;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpResponse;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Wraps answers in {@code {"code","message","data"}}. */
public final class Envelope {

    /** All bytes before the data of a success. */
    private static final byte[] SUCCESS = upToData();

    private final UnaryOperator<HttpResponse.Builder> headers;
    private final HttpResponse ok;

    /** @param headers adds the headers of the version */
    public Envelope(UnaryOperator<HttpResponse.Builder> headers) {
        this.headers = headers;
        this.ok = success("ok");
    }

    /** Success with {@code ok}. */
    public HttpResponse ok() {
        return ok;
    }

    /** Success with a text. */
    public HttpResponse success(String data) {
        return success(64 + data.length(), out -> out.text("data", data));
    }

    /**
     * @param expectedBytes an estimate
     * @param data writes one field named {@code data}
     */
    public HttpResponse success(int expectedBytes, Consumer<JsonOutput> data) {
        JsonOutput out = begin(expectedBytes, DetailCode.SUCCESS);
        data.accept(out);
        return plain(200, out.toBytes());
    }

    /** Success with a record, a list of records or {@link Rows}. */
    public HttpResponse written(Object data) {
        return written(data, SilentNodes.NONE);
    }

    /** As {@link #written(Object)}, for data of all nodes. */
    public HttpResponse written(Object data, SilentNodes silent) {
        return written(JsonText.of(data), silent);
    }

    /** As {@link #written(Object, SilentNodes)}. */
    public HttpResponse written(JsonText data, SilentNodes silent) {
        return silent.named(start(200).contentType(HttpResponse.JSON).body(data.between(SUCCESS, silent.end())));
    }

    /** A record, a list of records or {@link Rows} without an envelope. */
    public HttpResponse bare(Object data) {
        return bare(JsonText.of(data));
    }

    /** As {@link #bare(Object)}. */
    public HttpResponse bare(JsonText data) {
        return start(200).contentType(HttpResponse.JSON).body(data);
    }

    /** Success with kept and shared JSON. */
    public HttpResponse json(byte[] data) {
        return success(data.length, out -> out.json("data", data));
    }

    /** As {@link #success(int, Consumer)}, in an answer with headers. */
    public HttpResponse success(HttpResponse.Builder answer, int expectedBytes, Consumer<JsonOutput> data) {
        JsonOutput out = begin(expectedBytes, DetailCode.SUCCESS);
        data.accept(out);
        return answer.body(out.toBytes());
    }

    public HttpResponse failure(int status, DetailCode code, @Nullable String data) {
        JsonOutput out = begin(data == null ? 0 : data.length(), code);
        if (data == null) {
            out.json("data", "null");
        } else {
            out.text("data", data);
        }
        return plain(status, out.toBytes());
    }

    /** A failure with details in JSON. */
    public HttpResponse failureWith(int status, DetailCode code, byte[] data) {
        return plain(status, begin(data.length, code).json("data", data).toBytes());
    }

    /** As {@link #failureWith(int, DetailCode, byte[])}, with a cause after the code's text. */
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

    public HttpResponse.Builder start(int status) {
        return headers.apply(HttpResponse.status(status));
    }

    private static byte[] upToData() {
        byte[] whole = begin(0, DetailCode.SUCCESS).json("data", "0").toBytes();
        return Arrays.copyOf(whole, whole.length - "0}".length());
    }

    private static JsonOutput begin(int expectedBytes, DetailCode code) {
        return new JsonOutput(expectedBytes + 64).number("code", code.number()).text("message", code.text());
    }
}
