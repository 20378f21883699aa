package io.cairn.server.auth;

import io.cairn.api.config.Namespace;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The resource of a permission: {@code namespace:group:type/name}. {@code *} matches any characters of its part. The default
 * namespace is {@code public} or empty. Nacos's short forms match all omitted parts: {@code *}, {@code namespace:*},
 * {@code namespace:group:*}. Other texts match nothing.
 *
 * <p>Names of groups may contain {@code :}, but no name may contain {@code /}, so the first {@code /} ends the type.
 */
public final class ResourcePattern {

    private static final String ANY = "*";

    private final String text;
    private final @Nullable String namespace;
    private final String group;
    private final String type;
    private final String name;
    private final boolean canMatch;

    private ResourcePattern(String text, @Nullable String namespace, String group, String type, String name) {
        this.text = text;
        this.namespace = namespace;
        this.group = group;
        this.type = type;
        this.name = name;
        this.canMatch = fault() == null;
    }

    /** Never throws: an unreadable pattern matches nothing. */
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

    public boolean isReadable() {
        return namespace != null;
    }

    /**
     * Why no possible resource matches, or null. Not a regular expression: {@code *} stands for any characters, every other
     * character for itself.
     */
    public @Nullable String fault() {
        if (namespace == null) {
            return "it has another form";
        }
        if (!couldBe(namespace, ResourcePattern::isNamespaceCharacter)) {
            return "no namespace can match '" + namespace + "'";
        }
        if (Stream.of(ResourceType.values()).noneMatch(known -> matches(type, known.word()))) {
            return "no type matches '" + type + "'";
        }
        if (matches(type, ResourceType.METRICS.word())
                && matches(namespace, Namespace.DEFAULT.id())
                && matches(group, "")
                && matches(name, "")) {
            return null;
        }
        if (!couldBe(group, ResourcePattern::isNameCharacter)) {
            return "no group can match '" + group + "'";
        }
        boolean isNamed = matches(type, ResourceType.CONFIG.word()) && couldBe(name, ResourcePattern::isNameCharacter)
                || matches(type, ResourceType.NAMING.word()) && couldBeService(name);
        return isNamed ? null : "no name can match '" + name + "'";
    }

    boolean canMatch() {
        return canMatch;
    }

    private static boolean couldBe(String pattern, IntPredicate isLegal) {
        return pattern.chars().allMatch(c -> c == '*' || isLegal.test(c));
    }

    private static boolean isNamespaceCharacter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-';
    }

    /** Of groups and data IDs. */
    private static boolean isNameCharacter(int c) {
        return isNamespaceCharacter(c) || c == '.' || c == ':';
    }

    /** Names of services may have nearly all characters; the check of names has the same exceptions. */
    private static boolean couldBeService(String pattern) {
        return !pattern.startsWith("@")
                && !pattern.contains("@@")
                && pattern.chars().noneMatch(c -> Character.isWhitespace(c) || c >= '\u4E00' && c <= '\u9FA5');
    }

    /** Allocates nothing. */
    public boolean matches(Namespace wanted, String wantedGroup, ResourceType wantedType, String wantedName) {
        return namespace != null
                && matches(namespace, wanted.id())
                && matches(type, wantedType.word())
                && matches(group, wantedGroup)
                && matches(name, wantedName);
    }

    /** Whether a resource of that type in the namespace can match. */
    boolean concerns(Namespace wanted, ResourceType wantedType) {
        return concerns(wanted) && matches(type, wantedType.word());
    }

    /** For a matching namespace and type. */
    boolean matchesRow(String wantedGroup, String wantedName) {
        return matches(group, wantedGroup) && matches(name, wantedName);
    }

    /** Whether every resource of its namespace and type matches. */
    boolean matchesAllRows() {
        return group.equals(ANY) && name.equals(ANY);
    }

    public boolean concerns(Namespace wanted) {
        return namespace != null && matches(namespace, wanted.id());
    }

    /** Whether a text matches a pattern with {@code *} for any characters. Backtracks to the last star only. */
    public static boolean matches(String pattern, String text) {
        int p = 0;
        int t = 0;
        int star = -1;
        int resume = 0;
        while (t < text.length()) {
            // A star first: the text may contain one, too, in patterns of watches.
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
