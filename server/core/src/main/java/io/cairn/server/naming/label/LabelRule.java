package io.cairn.server.naming.label;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A selector with the labels.
 *
 * @param selector {@linkplain LabelSelector#selects selects} instances
 */
public record LabelRule(LabelSelector selector, AddressLabels labels) {

    /** Null without a selection or labels. */
    public static @Nullable LabelRule of(LabelSelector selector, AddressLabels labels) {
        return selector.selects() && !labels.isEmpty() ? new LabelRule(selector, labels) : null;
    }

    /** In the selector's order; null if a label is absent. */
    public @Nullable List<String> values(String address) {
        return values(labels.of(address));
    }

    /** In the selector's order; null if a label is absent. */
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
