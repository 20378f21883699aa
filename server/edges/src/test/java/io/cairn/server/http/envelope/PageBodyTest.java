package io.cairn.server.http.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PageBodyTest {

    @Test
    void pageHoldsItsPartOfTheListAndCountsAllOfIt() {
        PageBody<String> second = PageBody.cut(List.of(1, 2, 3, 4, 5), 2, 2, number -> "n" + number);
        assertThat(new String(JsonBody.of(second), UTF_8))
                .isEqualTo("{\"totalCount\":5,\"pageNumber\":2,\"pagesAvailable\":3,\"pageItems\":[\"n3\",\"n4\"]}");
    }

    @Test
    void pageBehindTheEndIsEmpty() {
        PageBody<Integer> behind = PageBody.cut(List.of(1, 2), Integer.MAX_VALUE, 500, number -> number);
        assertThat(behind.pageItems()).isEmpty();
        assertThat(behind.totalCount()).isEqualTo(2);
        assertThat(behind.pagesAvailable()).isEqualTo(1);
    }

    @Test
    void envelopeWritesAbsentMembersAsNull() {
        assertThat(new String(JsonBody.enveloped(409, null, null), UTF_8))
                .isEqualTo("{\"code\":409,\"message\":null,\"data\":null}");
    }
}
