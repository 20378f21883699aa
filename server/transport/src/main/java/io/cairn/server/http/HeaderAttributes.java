package io.cairn.server.http;

import org.jspecify.annotations.Nullable;

/** The attributes of a header, such as {@code charset} in {@code text/plain; charset=UTF-8}. */
final class HeaderAttributes {

    private HeaderAttributes() {}

    /** The value of an attribute, without its quotes; null when absent. */
    static @Nullable String value(String header, String name) {
        for (String part : header.split(";")) {
            String[] pair = part.trim().split("=", 2);
            if (pair.length == 2 && pair[0].trim().equalsIgnoreCase(name)) {
                String value = pair[1].trim();
                boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
                return isQuoted ? value.substring(1, value.length() - 1) : value;
            }
        }
        return null;
    }
}
