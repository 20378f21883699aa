package io.cairn.server.http.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.route.Parameter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The filter and order of a page of instances.
 *
 * @param text lower case; a part of the address or of {@code name=value} of the metadata; empty for all
 * @param healthy null for both
 * @param by null for the order of the registry
 */
public record InstanceSearch(
        String text, @Nullable Boolean healthy, @Nullable By by, boolean descending) {

    private static final Parameter<String> SEARCH =
            Parameter.text("search", "A part of the address or of name=value of the metadata");
    private static final Parameter<Boolean> HEALTH = Parameter.text(
                    "health", "Lists healthy or unhealthy instances only")
            .values("healthy", "unhealthy")
            .as(InstanceSearch::healthy);
    private static final Parameter<By> SORT = Parameter.text("sort", "The order")
            .values("address", "health", "weight")
            .as(InstanceSearch::by);
    private static final Parameter<Boolean> ORDER = Parameter.text("order", "The direction of the order")
            .values("asc", "desc")
            .orElse("asc")
            .as(InstanceSearch::isDescending);

    /** The parameters of a search. */
    static final List<Parameter<?>> PARAMETERS = List.of(SEARCH, HEALTH, SORT, ORDER);

    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final int DIGITS = 10;

    public enum By {
        /** By address, with its numbers as numbers, and port. */
        ADDRESS,
        /** Unhealthy ones first. */
        HEALTH,
        WEIGHT
    }

    /** An instance with an address that sorts by its numbers. */
    private record Placed(Instance instance, String address) {

        static final Comparator<Placed> BY_ADDRESS = Comparator.comparing(Placed::address);

        static Placed of(Instance instance) {
            return new Placed(
                    instance,
                    NUMBER.matcher(addressOf(instance.key()))
                            .replaceAll(number -> "0"
                                            .repeat(Math.max(
                                                    0, DIGITS - number.group().length()))
                                    + number.group()));
        }
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for an unknown word */
    public static InstanceSearch read(HttpRequest request) {
        return new InstanceSearch(
                SEARCH.or(request, "").strip().toLowerCase(Locale.ROOT),
                HEALTH.orNull(request),
                SORT.orNull(request),
                ORDER.of(request));
    }

    private static boolean healthy(String word) {
        return switch (word.strip().toLowerCase(Locale.ROOT)) {
            case "healthy" -> true;
            case "unhealthy" -> false;
            default -> throw unknown("health", word, "healthy, unhealthy or any");
        };
    }

    private static By by(String word) {
        return switch (word.strip().toLowerCase(Locale.ROOT)) {
            case "address" -> By.ADDRESS;
            case "health" -> By.HEALTH;
            case "weight" -> By.WEIGHT;
            default -> throw unknown("sort", word, "address, health or weight");
        };
    }

    private static boolean isDescending(String word) {
        return switch (word.strip().toLowerCase(Locale.ROOT)) {
            case "asc" -> false;
            case "desc" -> true;
            default -> throw unknown("order", word, "asc or desc");
        };
    }

    private static CairnException unknown(String parameter, String value, String expected) {
        return new CairnException(
                ErrorCode.INVALID_PARAMETER, parameter + ": '" + value + "' (expected: " + expected + ")");
    }

    public List<Instance> of(List<Instance> all) {
        List<Instance> wanted = new ArrayList<>();
        for (Instance instance : all) {
            if ((healthy == null || healthy == instance.healthy()) && (text.isEmpty() || hasText(instance))) {
                wanted.add(instance);
            }
        }
        return by == null ? wanted : sorted(wanted, by);
    }

    private List<Instance> sorted(List<Instance> wanted, By by) {
        Comparator<Placed> first =
                switch (by) {
                    case ADDRESS -> Placed.BY_ADDRESS;
                    case HEALTH ->
                        Comparator.comparing(placed -> placed.instance().healthy());
                    case WEIGHT ->
                        Comparator.comparingDouble(placed -> placed.instance().weight());
                };
        // Equal ones by address, so that pages do not overlap.
        return wanted.stream()
                .map(Placed::of)
                .sorted((descending ? first.reversed() : first).thenComparing(Placed.BY_ADDRESS))
                .map(Placed::instance)
                .toList();
    }

    private boolean hasText(Instance instance) {
        if (addressOf(instance.key()).toLowerCase(Locale.ROOT).contains(text)) {
            return true;
        }
        return instance.metadata().entrySet().stream().anyMatch(entry -> (entry.getKey() + '=' + entry.getValue())
                .toLowerCase(Locale.ROOT)
                .contains(text));
    }

    private static String addressOf(InstanceKey key) {
        return key.ip() + ':' + key.port();
    }
}
