package io.cairn.spring;

import static org.assertj.core.api.Assertions.assertThat;

/** Asks a health indicator of either generation of Boot, whose types have nothing in common. */
final class Health {

    private Health() {}

    static String of(Object indicator) {
        try {
            Object health = indicator.getClass().getMethod("health").invoke(indicator);
            assertThat(health).isNotNull();
            return health.toString();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
