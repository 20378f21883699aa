package io.cairn.server.auth;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Audits attempts with passwords, in logins and requests, and logins at an issuer. Never fails and never waits. */
final class LoginRecords {

    private static final Logger log = LoggerFactory.getLogger(LoginRecords.class);

    private final AuditStore audit;

    LoginRecords(AuditStore audit) {
        this.audit = audit;
    }

    void right(Principal user, String address, @Nullable String detail) {
        record(AuditRecord.of(new Caller(user, address), "login", user.name()).withDetail(detail));
    }

    /**
     * A wrong password or unknown user. The record has the tried name, with an anonymous principal.
     *
     * @param locked whether the next attempt is refused; recorded once, so that attempts during the lock do not fill the store
     */
    void wrong(String username, String address, boolean locked, @Nullable String detail) {
        record(failed("login.failed", username, address, detail));
        if (locked) {
            record(failed("login.locked", username, address, detail));
        }
    }

    /** A login at an issuer that has failed: the target is the issuer. */
    void refused(String name, String issuer, String address, String reason) {
        record(new AuditRecord(
                0,
                0,
                name,
                Principal.Kind.ANONYMOUS.name(),
                address,
                "login.failed",
                issuer,
                null,
                null,
                reason,
                null));
    }

    private static AuditRecord failed(String action, String username, String address, @Nullable String detail) {
        return new AuditRecord(
                0, 0, username, Principal.Kind.ANONYMOUS.name(), address, action, username, null, null, detail, null);
    }

    private void record(AuditRecord entry) {
        audit.append(entry).whenComplete((done, failure) -> {
            if (failure != null) {
                log.warn("{} of {} could not be recorded: {}", entry.action(), entry.target(), failure.getMessage());
            }
        });
    }
}
