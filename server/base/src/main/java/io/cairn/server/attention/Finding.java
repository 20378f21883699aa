package io.cairn.server.attention;

import java.util.List;

/**
 * A fact about this server that needs attention.
 *
 * @param subject name, path or user
 * @param groupName of a configuration, or empty
 * @param used current amount
 * @param max bound of the amount; 0 for remaining time and without a bound
 * @param since epoch milliseconds; 0 if unknown
 * @param reason code of the cause, for readers with texts of their own, or empty
 */
public record Finding(
        Kind kind,
        boolean urgent,
        String subject,
        String groupName,
        String detail,
        long used,
        long max,
        long since,
        String reason) {

    public enum Kind {
        /** Writes are impossible; the detail has the cause. */
        DATABASE_AWAY,
        /** The database refuses writes: a full disk, a read-only file system. */
        WRITES_REFUSED,
        /**
         * A part of a database file, the subject {@code database} or {@code mirror}, is unreadable, and requests that need it fail.
         * The detail has file, cause and remedy; since is the time of the discovery.
         */
        DATABASE_DAMAGED,
        /**
         * The database continued from an earlier state, such as an older copy. The detail names the lost commits; since is the time
         * of the discovery.
         */
        DATABASE_LOST_COMMITS,
        /**
         * Within the last hour a node, the subject, was stopped or cut off inside a write, and its session held the lock of all
         * writes until the database ended it. Since is the time at which writes went on.
         */
        WRITE_LOCK_HELD,
        /**
         * This node has failed for some seconds to follow stored changes of the subject: {@code changes} of other nodes and
         * programs, the {@code mirror}, or {@code accounts}.
         */
        FOLLOWING_FAILS,
        /** Used is the number of unusable rows in a table, the subject; the detail names some. */
        ROWS_LEFT_OUT,
        /** Tables ignore case, so of two names that differ in case alone one can be stored. */
        CASE_IGNORED,
        /** The embedded database has the page size of an earlier release, so a publish writes more. */
        DATABASE_PAGES_OLD,
        /** Used and max are bytes of the disk of the data folder, the subject. */
        DISK_FULL,
        /** A user with all rights has its generated password. */
        PASSWORD_UNCHANGED,
        /**
         * The table, the subject, has users of an LDAP directory, as the LDAP plugin of Nacos stores them. They have no password
         * here and cannot log in.
         */
        LDAP_USERS,
        /**
         * The keys of the issuer of tokens, the subject, cannot be read since then; the detail has the cause. Urgent while no key of it
         * is known, so that all its tokens are refused.
         */
        ISSUER_AWAY,
        /**
         * Settings do not fit the tokens of the issuer, the subject; the detail has the fault. The reason is {@code CLOCK},
         * {@code CERTIFICATE}, {@code AUDIENCE} or {@code RULE}.
         */
        ISSUER_MISFIT,
        /** A server of the directory, the subject, fails since then. Urgent while no other one answers. */
        DIRECTORY_AWAY,
        /** Used is the number of permissions in the table, the subject, that match no resource. */
        PERMISSIONS_WITHOUT_EFFECT,
        /** Used is the remaining validity in seconds, negative after the end. */
        CERTIFICATE_ENDS,
        /** Requests are refused for their host or site, the subject. Used is their number. */
        HOST_REFUSED,
        /** A proxy requests a path that does not exist, the subject; used counts the requests. */
        PROXY_PATH_UNKNOWN,
        LIMIT_NEAR,
        /**
         * Heartbeats and registrations of a user (the subject, empty without credentials) are refused: of used instances in max
         * services.
         */
        BEATS_REFUSED,
        /**
         * Instances from before the restart did not return: of a service, the subject, or of all services without a finding of
         * their own; max counts these.
         */
        INSTANCES_NOT_BACK,
        /**
         * A listed or living node, the subject, is no member. The reason is {@code GROUP_PORT_UNREACHED} (used is that port),
         * {@code GROUP_KEY_DIFFERS} or {@code NOT_RUNNING}.
         */
        NODE_AWAY,
        /**
         * A node, the subject, shows older contents or fewer instances than the others, by used seconds. The reason is
         * {@code CONTENTS_OLD} or {@code INSTANCES_INCOMPLETE}.
         */
        NODE_BEHIND,
        /** A node, the subject, signs tokens with other keys. */
        KEYS_DIFFER,
        SETTINGS_DIFFER,
        /** Within the last hour a copy differed from the instances of its node, the subject; it was repaired. */
        COPIES_DIFFER,
        CLOCK_OFF,
        /** A stored mesh resource, the subject, is unreadable; since is the time of the discovery. */
        MESH_RESOURCE_UNREADABLE,
        /** A mesh client, the subject, refuses the last response; the group is its namespace. */
        MESH_PROXY_REFUSES,
        /** A mesh client, the subject, has not answered for a minute; the group is its namespace. */
        MESH_PROXY_WAITS,
        /** The metadata of a service, the subject, have an unreadable mesh setting; its default applies. */
        MESH_SERVICE_SETTING,
        LISTENERS_BEHIND
    }

    public Finding(Kind kind, boolean urgent, String subject, String groupName, String detail, long used, long max) {
        this(kind, urgent, subject, groupName, detail, used, max, 0, "");
    }

    public static Finding of(Kind kind, boolean urgent, String subject, String detail) {
        return new Finding(kind, urgent, subject, "", detail, 0, 0);
    }

    public static String some(List<String> texts, int most) {
        int others = texts.size() - most;
        return String.join("; ", texts.subList(0, Math.min(most, texts.size())))
                + (others > 0 ? "; and " + others + " more" : "");
    }

    /** Such as {@code 1 instance} and {@code 2 instances}. */
    public static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
