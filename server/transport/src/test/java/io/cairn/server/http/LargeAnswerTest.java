package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.admission.MemoryBudget;
import org.junit.jupiter.api.Test;

class LargeAnswerTest {

    private static final int BYTES = 100_000;

    private final MemoryBudget budget = new MemoryBudget(2 * BYTES, 1);

    @Test
    void readersOfOneAnswerShareItsMemory() {
        HttpResponse shared = answer();
        LargeAnswer first = LargeAnswer.of(shared, budget);
        LargeAnswer second = LargeAnswer.of(shared, budget);
        assertThat(budget.reservedBytes()).isEqualTo(BYTES);

        first.end();
        assertThat(budget.reservedBytes()).isEqualTo(BYTES);
        second.end();
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void formsOfOneAnswerWithTheSameBytesShareItsMemory() {
        HttpResponse shared = answer();
        LargeAnswer first = LargeAnswer.of(shared.varying(), budget);
        LargeAnswer second = LargeAnswer.of(shared, budget);
        LargeAnswer third = LargeAnswer.of(shared.with("A-Header", "value"), budget);
        assertThat(budget.reservedBytes()).isEqualTo(BYTES);

        first.end();
        second.end();
        third.end();
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void doesNotSendAResponseOverTheBudget() {
        LargeAnswer first = LargeAnswer.of(answer(), budget);
        LargeAnswer.of(answer(), budget);
        HttpResponse third = answer();
        assertThat(LargeAnswer.of(third, budget)).isNull();
        assertThat(budget.reservedBytes()).isEqualTo(2 * BYTES);

        first.end();
        assertThat(LargeAnswer.of(third, budget)).isNotNull();
    }

    private static HttpResponse answer() {
        return HttpResponse.ok(HttpResponse.TEXT, "x".repeat(BYTES));
    }
}
