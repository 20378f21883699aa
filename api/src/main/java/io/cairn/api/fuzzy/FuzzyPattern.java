package io.cairn.api.fuzzy;

import io.cairn.api.config.Namespace;

/**
 * A pattern for the names of services or configurations in one namespace. Group and name may be {@code *}, or begin or end
 * with {@code *}; elsewhere {@code *} is a plain character. {@code .*} stands for any name.
 *
 * @param name of services or data ids
 */
public record FuzzyPattern(Namespace namespace, String group, String name) {

    private static final char ANY = '*';
    /** The naming client of Nacos 3 sends this expression for any name; no other name has this form. */
    private static final String ANY_NAME = ".*";

    public FuzzyPattern {
        if (group.isBlank() || name.isBlank()) {
            throw new IllegalArgumentException(
                    "group pattern: '" + group + "', name pattern: '" + name + "' (expected: not blank)");
        }
    }

    public boolean matches(Namespace inNamespace, String ofGroup, String named) {
        return namespace.equals(inNamespace) && matches(group, ofGroup) && matches(name, named);
    }

    private static boolean matches(String pattern, String text) {
        int last = pattern.length() - 1;
        boolean open = pattern.charAt(0) == ANY;
        boolean goesOn = pattern.charAt(last) == ANY;
        if (last == 0 && open || pattern.equals(ANY_NAME)) {
            return true;
        }
        if (open && goesOn) {
            return text.contains(pattern.substring(1, last));
        }
        if (open) {
            return text.endsWith(pattern.substring(1));
        }
        return goesOn ? text.startsWith(pattern.substring(0, last)) : text.equals(pattern);
    }
}
