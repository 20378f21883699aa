package io.cairn.spring.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.Binder;

/**
 * A Spring application, as gray releases see it.
 *
 * @param name may be empty
 */
public record Application(String name, Map<String, String> labels) {

    private static final String NAME = "spring.application.name";

    /** The settings of each label; the first one with a value counts. */
    private static final Map<String, List<String>> SETTINGS = settings();

    private static final String KUBERNETES = "kubernetes.service.host";

    /** In Kubernetes the name of the pod. */
    private static final String HOST_NAME = "hostname";

    private static Map<String, List<String>> settings() {
        Map<String, List<String>> all = new LinkedHashMap<>();
        all.put("application", List.of(NAME));
        all.put("profile", List.of("spring.profiles.active"));
        all.put("zone", List.of("cairn.discovery.metadata.zone", "spring.cloud.loadbalancer.zone"));
        all.put("version", List.of("cairn.discovery.metadata.version", "spring.application.version"));
        return all;
    }

    public static Application of(Binder settings) {
        Map<String, String> labels = new LinkedHashMap<>();
        SETTINGS.forEach((label, names) -> names.stream()
                .map(name -> text(settings, name))
                .filter(value -> !value.isBlank())
                .findFirst()
                .ifPresent(value -> labels.put(label, value)));
        String pod = text(settings, KUBERNETES).isBlank() ? "" : text(settings, HOST_NAME);
        if (!pod.isBlank()) {
            labels.put("pod", pod);
        }
        return new Application(text(settings, NAME), labels);
    }

    private static String text(Binder settings, String name) {
        return String.join(",", settings.bind(name, String[].class).orElse(new String[0]));
    }
}
