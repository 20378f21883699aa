package io.cairn.server.wiring.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.type.filter.AnnotationTypeFilter;

class UnknownSettingsTest {

    private static StandardEnvironment with(Map<String, Object> settings) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("file", settings));
        return environment;
    }

    @Test
    void reportsAMisspelledNameWithASuggestion() {
        assertThat(UnknownSettings.in(with(Map.of(
                        "cairn.config.max-contents", "1MB",
                        "cairn.shutdown.drian", "2s",
                        "cairn.nothing.like.it", "1",
                        "nacos.of.other.releases", "1"))))
                .containsExactly(
                        "cairn.config.max-contents is not a setting and has no effect (is cairn.config.max-content meant?)",
                        "cairn.nothing.like.it is not a setting and has no effect",
                        "cairn.shutdown.drian is not a setting and has no effect (is cairn.shutdown.drain meant?)");
    }

    @Test
    void reportsNacosSettingsWithoutEffect() {
        assertThat(UnknownSettings.in(with(Map.of(
                        "nacos.core.param.check.enabled", "false",
                        "nacos.core.namespace.validation.enabled", " TRUE "))))
                .containsExactly(
                        "nacos.core.namespace.validation.enabled=true has no effect: namespaces need not be created here",
                        "nacos.core.param.check.enabled=false has no effect: names and lengths are always checked here");
        assertThat(UnknownSettings.in(with(Map.of(
                        "nacos.core.param.check.enabled", "true",
                        "nacos.core.namespace.validation.enabled", "false"))))
                .isEmpty();
    }

    @Test
    void acceptsARemovedSettingWithOneLine() {
        assertThat(UnknownSettings.in(with(Map.of("cairn.http.upgradeToHttp2", "true"))))
                .singleElement()
                .asString()
                .startsWith("cairn.http.upgradeToHttp2 has no effect: the HTTP port no longer upgrades");
    }

    @Test
    void everySpellingOfANameIsKnown() {
        assertThat(UnknownSettings.in(with(Map.of(
                        "cairn.config.max-content", "1MB",
                        "cairn.config.maxContent", "1MB",
                        "cairn.http.max-streams-per-connection", "10",
                        "cairn.auth.trusted-proxies[0]", "10.0.0.1",
                        "cairn.home", "/opt/cairn"))))
                .isEmpty();
    }

    /** Reads the class files of the whole code base without loading or linking them. */
    private static final class BindingClasses extends ClassPathScanningCandidateComponentProvider {

        BindingClasses() {
            super(false);
            addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class, false));
        }

        /** Nested and abstract classes count as well. */
        @Override
        protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
            return true;
        }

        List<String> names() {
            return findCandidateComponents("io.cairn.server").stream()
                    .map(BeanDefinition::getBeanClassName)
                    .toList();
        }
    }

    @Test
    void settingsOfAllClassesThatBindThemAreKnown() {
        assertThat(new BindingClasses().names())
                .containsExactlyInAnyOrderElementsOf(UnknownSettings.BOUND.stream()
                        .<String>map(Class::getName)
                        .toList());
    }
}
