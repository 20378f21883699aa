package io.cairn.api.wire.fuzzy;

import io.cairn.api.wire.JsonInput;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A push of a fuzzy watch: some matches of a pattern, or a name that was added or removed. Pushes of configurations and services differ in their field names.
 *
 * @param pattern null for one name
 * @param stage see {@link FuzzyWire}; null for one configuration
 */
public record FuzzyPush(
        @Nullable String requestId,
        @Nullable String pattern,
        @Nullable String stage,
        List<Named> names) {

    public record Named(String key, String change) {

        /** Whether the name was removed; any other change means that it exists. */
        public boolean gone() {
            return change.startsWith("DELETE");
        }

        private static Named read(JsonInput in) {
            String key = "";
            String change = "";
            for (String field = in.nextField(); field != null; field = in.nextField()) {
                switch (field) {
                    case "groupKey", "serviceKey" -> key = in.textOr("");
                    case "changedType", "changeType" -> change = in.textOr("");
                    default -> in.skip();
                }
            }
            return new Named(key, change);
        }
    }

    public FuzzyPush {
        names = List.copyOf(names);
    }

    public static FuzzyPush read(JsonInput in) {
        String requestId = null;
        String pattern = null;
        String stage = null;
        String key = null;
        String change = "";
        List<Named> names = List.of();
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            switch (field) {
                case "requestId" -> requestId = in.text();
                case "groupKeyPattern" -> pattern = in.text();
                case "syncType" -> stage = in.text();
                case "contexts" -> names = in.objects(Named::read);
                case "groupKey", "serviceKey" -> key = in.text();
                case "changedType", "changeType" -> change = in.textOr("");
                default -> in.skip();
            }
        }
        return new FuzzyPush(requestId, pattern, stage, key == null ? names : List.of(new Named(key, change)));
    }
}
