package io.cairn.server.wiring;

import ch.qos.logback.classic.LoggerContext;
import io.cairn.server.logging.RepeatLimit;
import io.cairn.server.wiring.settings.CairnProperties;
import io.netty.util.Timer;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class LoggingConfiguration {

    @Bean(destroyMethod = "close")
    RepeatLimit repeatLimit(CairnProperties properties, Timer timer) {
        CairnProperties.Log log = properties.log();
        RepeatLimit limit = new RepeatLimit(log.repeats(), log.period(), timer);
        ILoggerFactory logging = LoggerFactory.getILoggerFactory();
        if (log.repeats() > 0 && logging instanceof LoggerContext context) {
            limit.install(context);
        }
        return limit;
    }
}
