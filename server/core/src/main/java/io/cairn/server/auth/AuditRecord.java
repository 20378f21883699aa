package io.cairn.server.auth;

import org.jspecify.annotations.Nullable;

/**
 * An audited action.
 *
 * @param atMillis epoch milliseconds
 * @param who user or token; the tried name of a failed login; empty if anonymous
 * @param kind of {@link Principal.Kind}
 * @param action such as {@code config.publish}
 * @param target such as {@code public:DEFAULT_GROUP:config/a.yaml}
 * @param before digest of the former content, if any
 * @param after digest of the new content, if any
 * @param detail never a secret
 * @param node the acting node; null on a single server, and before the record is stored
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

    /** A record without id and time; the store adds both. */
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
