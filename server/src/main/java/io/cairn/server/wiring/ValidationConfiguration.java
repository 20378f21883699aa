package io.cairn.server.wiring;

import io.cairn.server.config.ConfigService;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.query.ConfigQueryStore;
import io.cairn.server.config.validation.ContentChecks;
import io.cairn.server.config.validation.LateValidation;
import io.cairn.server.config.validation.RequiredCheck;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.storage.config.JdbcConfigQueryStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.wiring.lifecycle.WorkPools;
import io.cairn.server.wiring.settings.CairnProperties;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ValidationConfiguration {

    @Bean
    ContentChecks contentChecks(CairnProperties properties, ReadConnections readers, RequiredCheck required) {
        ConfigQueryStore store = new JdbcConfigQueryStore(readers);
        return new ContentChecks(properties.config().validation(), store::schema, required);
    }

    @Bean(destroyMethod = "close")
    LateValidation lateValidation(ContentChecks checks, MeterRegistry meters) {
        LateValidation late = new LateValidation(checks);
        FunctionCounter.builder(MeterNames.MALFORMED, late, LateValidation::malformed)
                .register(meters);
        FunctionCounter.builder(MeterNames.VALIDATION_SKIPPED, late, LateValidation::passedOver)
                .register(meters);
        return late;
    }

    @Bean
    ValidatedPublishing validatedPublishing(
            ConfigService configs, ChangeSetStore changes, ContentChecks checks, LateValidation late, WorkPools pools) {
        return new ValidatedPublishing(configs, changes, checks, late, pools.validations());
    }
}
