package io.cairn.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.awaitility.core.ConditionEvaluationListener;
import org.awaitility.core.EvaluatedCondition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatienceTest {

    @Test
    void awaitilityWaitsAsLongWithoutASettingOfTheTest() {
        var remaining = new long[1];
        await().conditionEvaluationListener(remember(remaining)).until(() -> true);

        assertThat(Duration.ofMillis(remaining[0])).isBetween(Patience.PATIENCE.dividedBy(2), Patience.PATIENCE);
    }

    private static ConditionEvaluationListener<Object> remember(long[] remaining) {
        return (EvaluatedCondition<Object> condition) -> remaining[0] = condition.getRemainingTimeInMS();
    }

    @Test
    void patienceIsASettingInSeconds() {
        assertThat(Patience.ofSetting("240")).isEqualTo(Duration.ofMinutes(4));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1m", "", "1000000"})
    void patienceThatIsNoNumberOfSecondsIsRefused(String seconds) {
        assertThatThrownBy(() -> Patience.ofSetting(seconds))
                .hasMessage("cairn.test.patience: " + seconds + " (expected: 1-999999, in seconds)");
    }
}
