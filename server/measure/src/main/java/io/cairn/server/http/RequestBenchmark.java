package io.cairn.server.http;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Decoding and encoding of an HTTP request; in the package of the classes that it measures. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class RequestBenchmark {

    private final byte[] query =
            "dataId=application.yaml&group=DEFAULT_GROUP&tenant=dev".getBytes(StandardCharsets.UTF_8);
    private final byte[] form = ("dataId=application.yaml&group=DEFAULT_GROUP&type=yaml&content="
                    + "key%3A+value%0A".repeat(450))
            .getBytes(StandardCharsets.UTF_8);
    private final HttpResponse response = HttpResponse.status(200)
            .header("Content-MD5", "0123456789abcdef0123456789abcdef")
            .notCached()
            .contentType(HttpResponse.TEXT)
            .withoutBody();

    @Benchmark
    public Map<String, String> readQuery() {
        Map<String, String> read = new HashMap<>();
        FormParameters.read(query, 0, StandardCharsets.UTF_8, read);
        return read;
    }

    @Benchmark
    public Map<String, String> readFormOf5Kb() {
        Map<String, String> read = new HashMap<>();
        FormParameters.read(form, 0, StandardCharsets.UTF_8, read);
        return read;
    }

    @Benchmark
    public HttpResponse writeHead() {
        return HttpResponse.status(200)
                .header("Content-MD5", "0123456789abcdef0123456789abcdef")
                .notCached()
                .contentType(HttpResponse.TEXT)
                .withoutBody();
    }

    @Benchmark
    public Http2Head writeHttp2Head() {
        return Http2Head.of(200, response.head());
    }
}
