package io.cairn.server.http.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PageBodyTest {

    @Test
    void pageHoldsItsPartOfTheListAndCountsAllOfIt() {
        PageBody<String> second = PageBody.cut(List.of(1, 2, 3, 4, 5), 2, 2, number -> "n" + number);
        assertThat(Texts.of(JsonText.of(second)))
                .isEqualTo("{\"totalCount\":5,\"pageNumber\":2,\"pagesAvailable\":3,\"pageItems\":[\"n3\",\"n4\"]}");
    }

    @Test
    void pageBehindTheEndIsEmpty() {
        PageBody<Integer> behind = PageBody.cut(List.of(1, 2), Integer.MAX_VALUE, 500, number -> number);
        assertThat(Texts.of(JsonText.of(behind)))
                .isEqualTo("{\"totalCount\":2,\"pageNumber\":2147483647,\"pagesAvailable\":1,\"pageItems\":[]}");
    }

    @Test
    void envelopeWritesAbsentMembersAsNull() {
        assertThat(Texts.of(JsonBody.enveloped(409, null, null)))
                .isEqualTo("{\"code\":409,\"message\":null,\"data\":null}");
    }
}
