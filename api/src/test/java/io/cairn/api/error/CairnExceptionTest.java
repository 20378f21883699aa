package io.cairn.api.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CairnExceptionTest {

    @Test
    void hasCodeTextAndCause() {
        IllegalStateException cause = new IllegalStateException("disk full");
        CairnException failure = new CairnException(ErrorCode.UNAVAILABLE, "the database cannot be written", cause);

        assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(failure.text()).isEqualTo("the database cannot be written");
        assertThat(failure).hasCause(cause);
    }

    @Test
    void withoutAMessageItsCodeHasToDo() {
        assertThat(new CairnException(ErrorCode.BUSY, null).text()).isEqualTo("BUSY");
    }
}
