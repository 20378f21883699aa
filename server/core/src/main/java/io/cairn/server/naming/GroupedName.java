package io.cairn.server.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;

/**
 * Service and group in one text: {@code orders} in the default group, else {@code group@@orders}.
 *
 * <p>In an authority {@code @} separates user information, so some clients refuse it. The second form is {@code group orders},
 * {@code group%20orders} in a URI: no service has a space in its name, so the form is unambiguous.
 */
public final class GroupedName {

    private static final char SPACE = ' ';
    private static final char SUBSET_START = '~';

    private GroupedName() {}

    /** The first form, without the default group. */
    public static String of(String group, String service) {
        return group.equals(ServiceKey.DEFAULT_GROUP) ? service : group + NamingWire.SEPARATOR + service;
    }

    /** The group in the first form, by default the default one. */
    public static String group(String name) {
        int end = name.indexOf(NamingWire.SEPARATOR);
        return end < 0 ? ServiceKey.DEFAULT_GROUP : name.substring(0, end);
    }

    /** The service in the first form. */
    public static String service(String name) {
        int end = name.indexOf(NamingWire.SEPARATOR);
        return end < 0 ? name : name.substring(end + NamingWire.SEPARATOR.length());
    }

    /** Converts the second form to the first; other texts stay. */
    public static String firstSpelling(String text) {
        int space = text.indexOf(SPACE);
        // A space behind the start of a subset belongs to a metadata value.
        return space <= 0 || text.lastIndexOf(SUBSET_START, space) >= 0
                ? text
                : text.substring(0, space) + NamingWire.SEPARATOR + text.substring(space + 1);
    }
}
