package io.cairn.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.commons.support.AnnotationSupport;

class HangLimitTest {

    @HangLimit
    private static final class Limited {}

    @Test
    void jupiterFindsTheTimeoutOfALimitedClass() {
        assertThat(AnnotationSupport.findAnnotation(Limited.class, Timeout.class))
                .hasValueSatisfying(timeout -> {
                    assertThat(timeout.value()).isEqualTo(20);
                    assertThat(timeout.unit()).isEqualTo(TimeUnit.MINUTES);
                });
    }
}
