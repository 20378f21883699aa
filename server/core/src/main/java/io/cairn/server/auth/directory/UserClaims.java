package io.cairn.server.auth.directory;

import io.cairn.server.auth.Claims;
import io.cairn.server.auth.directory.DirectorySettings.Nesting;
import io.cairn.server.auth.directory.LdapConnection.Entry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.naming.NamingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what rules compare about a user: attributes of its entry, and its groups. */
final class UserClaims {

    /** The names of the groups of a user. */
    static final String GROUPS = "groups";
    /** The DNs of these groups. */
    static final String GROUP_DN = "groupDn";

    private static final Logger log = LoggerFactory.getLogger(UserClaims.class);

    private static final String NESTED_IN_ACTIVE_DIRECTORY = "(member:1.2.840.113556.1.4.1941:={0})";
    private static final int MAX_GROUPS = 1000;
    private static final int MAX_DEPTH = 10;

    private final DirectorySettings settings;

    private record Group(Entry entry, int depth) {}

    UserClaims(DirectorySettings settings) {
        this.settings = settings;
    }

    /** @param name that the user logs in with */
    Claims read(LdapConnection connection, Entry user, String name) throws NamingException {
        Map<String, Object> all = new HashMap<>();
        for (String attribute : settings.attributesInRules()) {
            all.put(attribute, user.texts(attribute));
        }
        if (settings.needsGroups()) {
            List<Entry> groups = groups(connection, user, name);
            List<String> names = new ArrayList<>();
            for (Entry group : groups) {
                names.addAll(group.texts(settings.groups().nameAttribute()));
            }
            all.put(GROUPS, names);
            all.put(GROUP_DN, groups.stream().map(Entry::dn).toList());
        }
        return new Claims(all);
    }

    private List<Entry> groups(LdapConnection connection, Entry user, String name) throws NamingException {
        Map<String, Entry> found = new LinkedHashMap<>();
        ArrayDeque<Group> unread = new ArrayDeque<>();
        add(search(connection, user.dn(), name), 1, found, unread);
        while (settings.groups().nesting() == Nesting.SEARCH && !unread.isEmpty() && found.size() < MAX_GROUPS) {
            Group group = unread.remove();
            if (group.depth < MAX_DEPTH) {
                String dn = group.entry.dn();
                add(search(connection, dn, dn), group.depth + 1, found, unread);
            }
        }
        if (found.size() >= MAX_GROUPS) {
            log.warn(
                    "'{}' has {} groups or more in the directory, of which the first {} are read (narrow cairn.auth.ldap.group-base"
                            + " or group-filter)",
                    user.dn(),
                    MAX_GROUPS,
                    MAX_GROUPS);
        }
        return List.copyOf(found.values());
    }

    private static void add(List<Entry> groups, int depth, Map<String, Entry> found, ArrayDeque<Group> unread) {
        for (Entry group : groups) {
            // Groups may contain each other.
            if (found.size() < MAX_GROUPS && found.putIfAbsent(group.dn().toLowerCase(Locale.ROOT), group) == null) {
                unread.add(new Group(group, depth));
            }
        }
    }

    List<Entry> search(LdapConnection connection, String dn, String name) throws NamingException {
        DirectorySettings.Groups groups = settings.groups();
        String filter = groups.nesting() == Nesting.ACTIVE_DIRECTORY ? NESTED_IN_ACTIVE_DIRECTORY : groups.filter();
        return connection.search(groups.base(), filter, List.of(dn, name), List.of(groups.nameAttribute()), MAX_GROUPS);
    }
}
