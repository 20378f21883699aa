package io.cairn.server.wiring;

import io.cairn.server.config.ConfigService;
import io.cairn.server.config.validation.LateValidation;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Builds what looks at the contents that are published. */
@Configuration(proxyBeanMethods = false)
class ValidationConfiguration {

    @Bean(destroyMethod = "close")
    LateValidation lateValidation(MeterRegistry meters) {
        LateValidation late = new LateValidation();
        FunctionCounter.builder(MeterNames.MALFORMED, late, LateValidation::malformed)
                .register(meters);
        FunctionCounter.builder(MeterNames.VALIDATION_SKIPPED, late, LateValidation::passedOver)
                .register(meters);
        return late;
    }

    @Bean
    ValidatedPublishing validatedPublishing(
            ConfigService configs, CairnProperties properties, LateValidation late, WorkPools pools) {
        return new ValidatedPublishing(configs, properties.config().validation(), late, pools.largeMessages());
    }
}
