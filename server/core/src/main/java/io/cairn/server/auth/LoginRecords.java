package io.cairn.server.auth;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records who has tried a password, wherever he tried it. Thread-safe; never fails and never waits. */
final class LoginRecords {

    private static final Logger log = LoggerFactory.getLogger(LoginRecords.class);

    private final AuditStore audit;

    LoginRecords(AuditStore audit) {
        this.audit = audit;
    }

    /** A user has signed in. */
    void right(Principal user, String address, @Nullable String detail) {
        record(AuditRecord.of(new Caller(user, address), "login", user.name()).withDetail(detail));
    }

    /**
     * A user name was tried with a wrong password, or nobody has that name. The record names it, but as of nobody who is known.
     *
     * @param locked whether the next try must wait; said once, for who knocks at a locked door shall not fill the store
     */
    void wrong(String username, String address, boolean locked, @Nullable String detail) {
        record(failed("login.failed", username, address, detail));
        if (locked) {
            record(failed("login.locked", username, address, detail));
        }
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
