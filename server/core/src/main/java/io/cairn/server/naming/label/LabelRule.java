package io.cairn.server.naming.label;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A selector together with the labels that it goes by. Immutable.
 *
 * @param selector one that {@linkplain LabelSelector#selects selects}
 */
public record LabelRule(LabelSelector selector, AddressLabels labels) {

    /** Null where the selector selects nothing, or no address has labels. */
    public static @Nullable LabelRule of(LabelSelector selector, AddressLabels labels) {
        return selector.selects() && !labels.isEmpty() ? new LabelRule(selector, labels) : null;
    }

    /** The values of the selector's labels at that address, in their order; null when one of them is missing. */
    public @Nullable List<String> values(String address) {
        return values(labels.of(address));
    }

    /** The values of the selector's labels among these, in their order; null when one of them is missing. */
    public @Nullable List<String> values(Map<String, String> all) {
        List<String> values = new ArrayList<>(selector.labels().size());
        for (String label : selector.labels()) {
            String value = all.get(label);
            if (value == null) {
                return null;
            }
            values.add(value);
        }
        return values;
    }
}
