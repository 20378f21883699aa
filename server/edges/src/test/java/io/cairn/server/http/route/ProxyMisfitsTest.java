package io.cairn.server.http.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.HttpRequest;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProxyMisfitsTest {

    private final AtomicLong now = new AtomicLong(5);
    private final ProxyMisfits misfits = new ProxyMisfits(now::get);

    private static HttpRequest call(String path, String... headers) {
        HttpHeaders all = new DefaultHttpHeaders();
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1]);
        }
        return HttpRequest.to("GET", path, all::get, new byte[0], "127.0.0.1", Runnable::run);
    }

    @Test
    void theSiteIsNamedBeforeTheHost() {
        misfits.refused(call("/", "Host", "10.0.0.1:8848", "Origin", "https://registry.example.org"), "why");

        assertThat(misfits.now()).singleElement().satisfies(finding -> {
            assertThat(finding.subject()).isEqualTo("https://registry.example.org");
            assertThat(finding.detail()).isEqualTo("why");
        });
    }

    @Test
    void cutsLongTexts() {
        misfits.refused(call("/", "Host", "x".repeat(5_000)), "why");

        assertThat(misfits.now()).singleElement().satisfies(finding -> assertThat(finding.subject())
                .isEqualTo("x".repeat(100) + "…"));
    }

    @Test
    void aFindingEndsAQuarterOfAnHourAfterTheLastRequest() {
        misfits.refused(call("/", "Host", "a.example"), "why");
        now.addAndGet(ProxyMisfits.REMEMBERED_FOR.toNanos());
        misfits.refused(call("/", "Host", "b.example"), "why");
        now.addAndGet(ProxyMisfits.REMEMBERED_FOR.toNanos());

        assertThat(misfits.now()).singleElement().satisfies(finding -> {
            assertThat(finding.subject()).isEqualTo("b.example");
            assertThat(finding.times()).isEqualTo(2);
        });

        now.incrementAndGet();
        assertThat(misfits.now()).isEmpty();

        misfits.refused(call("/", "Host", "c.example"), "why");
        assertThat(misfits.now()).singleElement().satisfies(finding -> assertThat(finding.times())
                .isEqualTo(1));
    }
}
