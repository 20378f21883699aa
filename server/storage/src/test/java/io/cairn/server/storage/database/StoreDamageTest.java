package io.cairn.server.storage.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.storage.sqlite.SqliteDatabase;
import io.cairn.server.testing.LogWatch;
import java.sql.SQLException;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

class StoreDamageTest {

    private final StoreDamage damage = new StoreDamage("File x", "Do this", Clock.systemUTC());

    @ParameterizedTest
    @EnumSource(
            value = SQLiteErrorCode.class,
            names = {
                "SQLITE_CORRUPT",
                "SQLITE_CORRUPT_INDEX",
                "SQLITE_NOTADB",
                "SQLITE_IOERR_READ",
                "SQLITE_IOERR_SHORT_READ",
                "SQLITE_IOERR_CORRUPTFS"
            })
    void partsThatCannotBeReadAreDamage(SQLiteErrorCode code) {
        assertThat(damage.note(SqliteDatabase.DIALECT, new SQLiteException("seen", code)))
                .isTrue();
        assertThat(damage.found()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(
            value = SQLiteErrorCode.class,
            names = {"SQLITE_FULL", "SQLITE_BUSY", "SQLITE_READONLY", "SQLITE_IOERR_WRITE", "SQLITE_CONSTRAINT_UNIQUE"})
    void failuresThatAnotherTryMayOvercomeAreNone(SQLiteErrorCode code) {
        assertThat(damage.note(SqliteDatabase.DIALECT, new SQLiteException("seen", code)))
                .isFalse();
        assertThat(damage.found()).isNull();
    }

    @Test
    void theFirstFailureIsKeptAndLoggedAlone() {
        try (LogWatch log = new LogWatch()) {
            SQLException first = new SQLiteException("the first", SQLiteErrorCode.SQLITE_CORRUPT);
            damage.note(SqliteDatabase.DIALECT, first);
            damage.note(SqliteDatabase.DIALECT, new SQLiteException("the second", SQLiteErrorCode.SQLITE_CORRUPT));

            assertThat(log.takeAlarms()).singleElement().asString().contains("File x", "the first", "Do this");
            assertThat(damage.found().text()).contains("the first");
        }
    }
}
