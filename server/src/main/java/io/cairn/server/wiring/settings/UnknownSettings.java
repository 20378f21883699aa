package io.cairn.server.wiring.settings;

import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Reports unknown settings below {@code cairn.}, because a misspelt name would have no effect, and settings of Nacos that change
 * Nacos but not this server.
 */
public final class UnknownSettings {

    static final List<Class<?>> BOUND = List.of(
            CairnProperties.class,
            TlsProperties.class,
            AccessProperties.class,
            OidcProperties.class,
            LdapProperties.class,
            ClusterProperties.class,
            XdsProperties.class);

    private static final String PREFIX = "cairn.";
    /** Settings of the process by scripts and builder, which do not belong into the file. */
    private static final Set<String> OF_THE_PROCESS = Set.of("cairn.home", "cairn.lock");
    /** Names of the machine and the JVM, which may have other purposes. */
    private static final Set<String> PASSED_OVER = Set.of(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);

    /** Settings of Nacos, each with the value without effect here, and the reason. */
    private static final Map<String, Ignored> OF_NACOS = Map.of(
            "nacos.core.namespace.validation.enabled", new Ignored("true", "namespaces need not be created here"),
            "nacos.core.param.check.enabled", new Ignored("false", "names and lengths are always checked here"));

    /** Settings of earlier versions, by {@link #plain} name, each with its replacement. */
    private static final Map<String, String> REMOVED = Map.of(
            "cairn.http.upgradetohttp2",
            "the HTTP port no longer upgrades a connection to HTTP/2, and such a request is answered over HTTP/1.1; remove"
                    + " the setting (clients may start with HTTP/2, or choose it by ALPN over TLS)");

    private static final int NEAR = 3;
    private static final Logger log = LoggerFactory.getLogger(UnknownSettings.class);

    private record Ignored(String value, String why) {}

    private UnknownSettings() {}

    public static void warn(ConfigurableEnvironment environment) {
        in(environment).forEach(problem -> log.warn("{}", problem));
    }

    static List<String> in(ConfigurableEnvironment environment) {
        Map<String, String> known = known();
        Set<String> found = new TreeSet<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> names && !PASSED_OVER.contains(source.getName())) {
                found.addAll(List.of(names.getPropertyNames()));
            }
        }
        Stream<String> ignored = new TreeMap<>(OF_NACOS)
                .entrySet().stream()
                        .filter(each -> each.getValue()
                                .value()
                                .equalsIgnoreCase(String.valueOf(environment.getProperty(each.getKey()))
                                        .trim()))
                        .map(each -> each.getKey() + '=' + each.getValue().value() + " has no effect: "
                                + each.getValue().why());
        Stream<String> unknown = found.stream()
                .filter(name -> name.startsWith(PREFIX) && !OF_THE_PROCESS.contains(name))
                .filter(name -> !known.containsKey(plain(name)))
                .map(name -> name + effect(plain(name), known));
        return Stream.concat(unknown, ignored).toList();
    }

    private static String effect(String name, Map<String, String> known) {
        String removed = REMOVED.get(name);
        return removed == null
                ? " is not a setting and has no effect" + hint(name, known)
                : " has no effect: " + removed;
    }

    static Map<String, String> known() {
        Map<String, String> names = new LinkedHashMap<>();
        for (Class<?> bound : BOUND) {
            add(names, bound.getAnnotation(ConfigurationProperties.class).value(), bound);
        }
        return names;
    }

    private static void add(Map<String, String> names, String prefix, Class<?> settings) {
        for (RecordComponent component : settings.getRecordComponents()) {
            String name = prefix
                    + '.'
                    + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (component.getType().isRecord()) {
                add(names, name, component.getType());
            } else {
                names.put(plain(name), name);
            }
        }
    }

    /** The name without dashes, capitals and an element's number, for comparisons. */
    private static String plain(String name) {
        return name.replaceAll("\\[\\d+]$", "")
                .replace("-", "")
                .replace("_", "")
                .toLowerCase(Locale.ROOT);
    }

    private static String hint(String name, Map<String, String> known) {
        String nearest = "";
        int least = NEAR + 1;
        for (Map.Entry<String, String> each : known.entrySet()) {
            int distance = distance(name, each.getKey());
            if (distance < least) {
                least = distance;
                nearest = each.getValue();
            }
        }
        return nearest.isEmpty() ? "" : " (is " + nearest + " meant?)";
    }

    /** The edit distance of two names. */
    private static int distance(String one, String other) {
        int[] before = new int[other.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] now = new int[before.length];
            now[0] = i;
            for (int j = 1; j < now.length; j++) {
                int changed = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(changed, 1 + Math.min(before[j], now[j - 1]));
            }
            before = now;
        }
        return before[other.length()];
    }
}
