package io.cairn.server.push;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PushTest {

    @Test
    void bytesAreEncodedOnceForEachVariantHoweverManyReceive() {
        TextPush push = new TextPush("1", "a");

        assertThat(push.payload(0)).isSameAs(push.payload(0));
        assertThat(push.payload(1)).isSameAs(push.payload(1)).isNotSameAs(push.payload(0));
        assertThat(push.payload(0).bodyText()).isEqualTo("a/0");
        assertThat(push.payload(1).bodyText()).isEqualTo("a/1");
        assertThat(push.encodings).hasValue(2);
    }
}
