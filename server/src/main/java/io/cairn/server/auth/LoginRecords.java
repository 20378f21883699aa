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

    void right(String username, String address, @Nullable String detail) {
        record("login", username, address, detail);
    }

    /** @param locked whether the next try must wait; said once, for who knocks at a locked door shall not fill the store */
    void wrong(String username, String address, boolean locked, @Nullable String detail) {
        record("login.failed", username, address, detail);
        if (locked) {
            record("login.locked", username, address, detail);
        }
    }

    private void record(String action, String username, String address, @Nullable String detail) {
        AuditRecord entry = AuditRecord.of(new Caller(Principal.ANONYMOUS, address), action, username)
                .withDetail(detail);
        audit.append(entry).whenComplete((done, failure) -> {
            if (failure != null) {
                log.warn("{} of {} could not be recorded: {}", action, username, failure.getMessage());
            }
        });
    }
}
