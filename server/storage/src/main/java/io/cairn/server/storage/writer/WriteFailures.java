package io.cairn.server.storage.writer;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.Dialect;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Words failures for the callers of writes. */
final class WriteFailures {

    private static final Logger log = LoggerFactory.getLogger(WriteFailures.class);

    private final Dialect dialect;
    private final StoreMeters meters;

    WriteFailures(Dialect dialect, StoreMeters meters) {
        this.dialect = dialect;
        this.meters = meters;
    }

    /** The failure of a whole group without a guilty command. */
    static final class GroupFailure extends RuntimeException {

        private final CairnException failure;
        private final boolean isUndone;

        GroupFailure(CairnException failure) {
            this(failure, false);
        }

        /** @param isUndone whether the connection was lost before COMMIT was sent, so it certainly did not happen */
        GroupFailure(CairnException failure, boolean isUndone) {
            super(failure);
            this.failure = failure;
            this.isUndone = isUndone;
        }

        CairnException failure() {
            return failure;
        }

        boolean isUndone() {
            return isUndone;
        }
    }

    /** The connection was lost before COMMIT was sent. */
    CairnException lost(SQLException failure) {
        meters.failed();
        String text = "The write was not stored: " + dialect.explain(failure);
        log.debug(text, failure);
        return new CairnException(ErrorCode.UNAVAILABLE, text, failure);
    }

    CairnException translate(Exception failure) {
        if (failure instanceof CairnException known) {
            return known;
        }
        if (failure instanceof SQLException sql) {
            meters.failed();
            log.warn("A write failed: {}", dialect.explain(sql));
            log.debug("It failed here", sql);
            return new CairnException(
                    dialect.isBadValue(sql) ? ErrorCode.INVALID_PARAMETER : ErrorCode.UNAVAILABLE,
                    "The write was not stored: " + dialect.explain(sql),
                    failure);
        }
        log.error("A write failed on a defect of the server", failure);
        return new CairnException(
                ErrorCode.INTERNAL,
                "The write was not stored; the log of the server has the cause: " + failure,
                failure);
    }
}
