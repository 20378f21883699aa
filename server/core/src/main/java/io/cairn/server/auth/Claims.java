package io.cairn.server.auth;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The claims of a token, as JSON values, or what a directory says about a user. */
public record Claims(Map<String, Object> all) {

    /** A claim of OAuth that lists its values in one text, with blanks between them. */
    private static final String SCOPE = "scope";

    @Nullable
    public String text(String name) {
        return all.get(name) instanceof String text ? text : null;
    }

    /** Seconds since 1970; null without a number in the range of {@link java.time.Instant}. */
    @Nullable
    public Long seconds(String name) {
        return all.get(name) instanceof Number number && Math.abs(number.doubleValue()) < 1e11
                ? number.longValue()
                : null;
    }

    /** The texts of a claim, one or many; empty for an absent claim. A dot leads into a claim, unless the whole name is one. */
    public List<String> values(String name) {
        Object value = find(all, name);
        if (value instanceof String text) {
            return name.equals(SCOPE) ? List.of(text.trim().split(" +")) : List.of(text);
        }
        return (value instanceof Collection<?> many ? many.stream() : Stream.of(value == null ? "" : value))
                .filter(each -> each instanceof String || each instanceof Number || each instanceof Boolean)
                .map(Object::toString)
                .filter(each -> !each.isEmpty())
                .toList();
    }

    private static @Nullable Object find(Map<?, ?> in, String name) {
        Object whole = in.get(name);
        if (whole != null) {
            return whole;
        }
        for (int dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
            if (in.get(name.substring(0, dot)) instanceof Map<?, ?> inner) {
                Object found = find(inner, name.substring(dot + 1));
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }
}
