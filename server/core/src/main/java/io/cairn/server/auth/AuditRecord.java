package io.cairn.server.auth;

import org.jspecify.annotations.Nullable;

/**
 * Something that was done, to be remembered.
 *
 * @param atMillis epoch milliseconds
 * @param who the user's name or the token's; the name that was tried when a login failed; empty for nobody in particular
 * @param kind how he is known, of {@link Principal.Kind}
 * @param address where the request came from
 * @param action such as {@code config.publish}
 * @param target what it was done to, such as {@code public:DEFAULT_GROUP:config/a.yaml}
 * @param before digest of what was there, if something was
 * @param after digest of what is there now, if something is
 * @param detail what else there is to know; never a secret
 * @param node the node of a cluster that did it; null for a server that is alone, and in a record that is not stored yet
 */
public record AuditRecord(
        long id,
        long atMillis,
        String who,
        String kind,
        String address,
        String action,
        String target,
        @Nullable String before,
        @Nullable String after,
        @Nullable String detail,
        @Nullable String node) {

    private static final int MAX_TEXT = 512;

    public AuditRecord {
        who = cut(who, 128);
        address = cut(address, 64);
        target = cut(target, MAX_TEXT);
        detail = detail == null ? null : cut(detail, MAX_TEXT);
    }

    /** A record that has no number and no time yet. */
    public static AuditRecord of(Caller caller, String action, String target) {
        return new AuditRecord(
                0,
                0,
                caller.principal().name(),
                caller.principal().kind().name(),
                caller.address(),
                action,
                target,
                null,
                null,
                null,
                null);
    }

    public AuditRecord withDigests(@Nullable String newBefore, @Nullable String newAfter) {
        return new AuditRecord(id, atMillis, who, kind, address, action, target, newBefore, newAfter, detail, node);
    }

    public AuditRecord withDetail(@Nullable String newDetail) {
        return new AuditRecord(id, atMillis, who, kind, address, action, target, before, after, newDetail, node);
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }
}
