package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import org.jspecify.annotations.Nullable;

/**
 * The resource of a permission: {@code namespace:group:type/name}. Each part may contain {@code *}, which matches any
 * characters of that part. The default namespace is spelled {@code public} or left empty. The short forms of Nacos
 * match all of the omitted parts: {@code *}, {@code namespace:*}, {@code namespace:group:*}. A text of any other form
 * matches nothing. Immutable.
 *
 * <p>Names of groups may contain {@code :}, but neither groups nor configurations nor services may contain {@code /},
 * so the first {@code /} ends the type.
 */
public final class ResourcePattern {

    private static final String ANY = "*";

    private final String text;
    private final @Nullable String namespace;
    private final String group;
    private final String type;
    private final String name;

    private ResourcePattern(String text, @Nullable String namespace, String group, String type, String name) {
        this.text = text;
        this.namespace = namespace;
        this.group = group;
        this.type = type;
        this.name = name;
    }

    /** Reads a pattern. Never throws: an unreadable pattern matches nothing. */
    public static ResourcePattern of(String text) {
        int first = text.indexOf(':');
        if (first < 0) {
            return text.equals(ANY) ? new ResourcePattern(text, ANY, ANY, ANY, ANY) : nothing(text);
        }
        String namespace = Namespace.ofNullable(text.substring(0, first)).id();
        String rest = text.substring(first + 1);
        int slash = rest.indexOf('/');
        int last = slash < 0 ? rest.lastIndexOf(':') : rest.lastIndexOf(':', slash);
        if (last < 0) {
            return rest.equals(ANY) ? new ResourcePattern(text, namespace, ANY, ANY, ANY) : nothing(text);
        }
        String group = rest.substring(0, last);
        String type = slash < 0 ? rest.substring(last + 1) : rest.substring(last + 1, slash);
        String name = slash < 0 ? ANY : rest.substring(slash + 1);
        if (group.isEmpty() || type.isEmpty() || name.isEmpty()) {
            return nothing(text);
        }
        return new ResourcePattern(text, namespace, group, type, name);
    }

    private static ResourcePattern nothing(String text) {
        return new ResourcePattern(text, null, "", "", "");
    }

    /** False for a text that matches nothing because it is no pattern. */
    public boolean isReadable() {
        return namespace != null;
    }

    /** Whether the resource is one of those meant. Allocates nothing. */
    public boolean matches(Namespace wanted, String wantedGroup, ResourceType wantedType, String wantedName) {
        return namespace != null
                && matches(namespace, wanted.id())
                && matches(type, wantedType.word())
                && matches(group, wantedGroup)
                && matches(name, wantedName);
    }

    /** Whether anything of that type in the namespace may be meant. */
    boolean concerns(Namespace wanted, ResourceType wantedType) {
        return concerns(wanted) && matches(type, wantedType.word());
    }

    /** Whether that is meant, if its namespace and its type are. */
    boolean matchesRow(String wantedGroup, String wantedName) {
        return matches(group, wantedGroup) && matches(name, wantedName);
    }

    /** Whether the pattern matches every resource of its namespace and type. */
    boolean matchesAllRows() {
        return group.equals(ANY) && name.equals(ANY);
    }

    /** Whether anything in the namespace may be meant. */
    public boolean concerns(Namespace wanted) {
        return namespace != null && matches(namespace, wanted.id());
    }

    /** Whether {@code *} in the pattern can stand for the rest of the text; backtracks to the last star only. */
    static boolean matches(String pattern, String text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int resume = 0;
        while (t < text.length()) {
            // A star first: a text may hold one too, as the patterns of watches do.
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = t;
            } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ResourcePattern pattern && pattern.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
