package io.cairn.server.cluster.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.cluster.wire.ClusterMessage.Forwarded;
import io.cairn.server.naming.NamingException;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefusalsTest {

    private static CairnException sent(CairnException refusal) {
        return Refusals.exception(
                Objects.requireNonNull(Refusals.result(refusal).refusal()));
    }

    @ParameterizedTest
    @EnumSource
    void codeAndTextStayTheSame(ErrorCode code) {
        CairnException received = sent(new CairnException(code, "why"));
        assertThat(received).isExactlyInstanceOf(CairnException.class).hasMessage("why");
        assertThat(received.code()).isEqualTo(code);
    }

    @ParameterizedTest
    @EnumSource
    void faultStaysTheSame(NamingException.Fault fault) {
        assertThat(sent(new NamingException(fault, "why")))
                .isInstanceOfSatisfying(NamingException.class, received -> assertThat(received.fault())
                        .isEqualTo(fault));
    }

    @Test
    void codeOfLaterReleaseIsDefect() {
        Forwarded.Refusal refusal = new Forwarded.Refusal("SOMETHING_NEW", "why");
        assertThat(Refusals.exception(refusal).code()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(Refusals.isInability(refusal)).isTrue();
    }
}
