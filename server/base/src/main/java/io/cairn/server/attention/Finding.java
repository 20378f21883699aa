package io.cairn.server.attention;

/**
 * A fact about this server that needs attention.
 *
 * @param subject the name, the path or the user that it is about
 * @param groupName the group of the configuration it is about; empty for other things
 * @param detail in words, where there is more to say; else empty
 * @param used how much there is of it
 * @param max how much there may be of it; of time that is left, and elsewhere, 0
 * @param since when it began, in epoch milliseconds; 0 when not known
 * @param reason the cause alone, for a reader that words the rest itself; else empty
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

    /** The kinds of findings. */
    public enum Kind {
        /** The database is away: nothing can be written. The detail says why. */
        DATABASE_AWAY,
        /** The database is reached and refuses writes: a full disk, a read-only file system. The detail says why. */
        WRITES_REFUSED,
        /**
         * The database went on from an earlier state, such as a copy without its last commits: they are lost. The detail says
         * which; since is when it was found out.
         */
        DATABASE_LOST_COMMITS,
        /** The embedded database has the page size of an earlier release: a publish writes more. The detail says why. */
        DATABASE_PAGES_OLD,
        /** Used and max are the bytes of the disk that holds the data folder, which is the subject. */
        DISK_FULL,
        /** A user who may do everything still has the password that was made for it. */
        PASSWORD_UNCHANGED,
        /** Used is the seconds that the certificate is still good for; negative when it is not. */
        CERTIFICATE_ENDS,
        /** Requests are refused for the host or the site that they name, which is the subject. Used is how many. */
        HOST_REFUSED,
        /** A proxy asks for a path that there is not, which is the subject. Used is how often. */
        PROXY_PATH_UNKNOWN,
        /** More than four fifths of a limit are used. */
        LIMIT_NEAR,
        /**
         * Heartbeats and registrations of a user, the subject, are refused: used is the instances, max their services. The
         * detail says since when and why. The subject is empty where no credentials are sent.
         */
        BEATS_REFUSED,
        /** Of the instances that were known before the restart, so many did not come back; max is their services. */
        INSTANCES_NOT_BACK,
        /**
         * A node of the cluster, the subject, is listed or alive, and is no member of the group. The detail says what to do; the
         * reason is {@code GROUP_PORT_UNREACHED}, and used is that port, or {@code NOT_RUNNING}.
         */
        NODE_AWAY,
        /**
         * A node of the cluster, the subject, shows older contents or fewer instances than the others: the reason is
         * {@code CONTENTS_OLD} or {@code INSTANCES_INCOMPLETE}, and used is for or after how many seconds.
         */
        NODE_BEHIND,
        /** A node of the cluster, the subject, signs tokens with other keys than this one. */
        KEYS_DIFFER,
        /** Settings that must agree differ between this node and another one, the subject. */
        SETTINGS_DIFFER,
        /** The copy of what a node, the subject, owns differed from it within the last hour, and was repaired. */
        COPIES_DIFFER,
        /** The clock of a node, the subject, is too far ahead to be followed. */
        CLOCK_OFF,
        /** A stored resource of the mesh, the subject, cannot be read. The detail says why; since is when it was found out. */
        MESH_RESOURCE_UNREADABLE,
        /**
         * A client of the mesh, the subject, refuses the last response since then; the group is its namespace. The detail says which
         * type, and why in the words of the client.
         */
        MESH_PROXY_REFUSES,
        /** A client of the mesh, the subject, has not answered for a minute; the group is its namespace, the detail says which type. */
        MESH_PROXY_WAITS,
        /**
         * A service, the subject of the group, has a setting for the mesh in its metadata that cannot be read: its default is in force.
         * The detail names it.
         */
        MESH_SERVICE_SETTING,
        /** Of all listeners of a configuration, so many do not have the version that they should have. */
        LISTENERS_BEHIND
    }

    /** Without a time. */
    public Finding(Kind kind, boolean urgent, String subject, String groupName, String detail, long used, long max) {
        this(kind, urgent, subject, groupName, detail, used, max, 0, "");
    }

    /** About a subject that is not a configuration, without figures. */
    public static Finding of(Kind kind, boolean urgent, String subject, String detail) {
        return new Finding(kind, urgent, subject, "", detail, 0, 0);
    }

    /** A number with its noun, such as {@code 1 instance} and {@code 2 instances}. */
    public static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }
}
