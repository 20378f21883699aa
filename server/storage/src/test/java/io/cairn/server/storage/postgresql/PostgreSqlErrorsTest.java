package io.cairn.server.storage.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgreSqlErrorsTest {

    private final PostgreSqlDialect dialect = new PostgreSqlDialect();

    private static SQLException failure(String state) {
        return new SQLException("ERROR: seen\n  Detail: more", state);
    }

    @ParameterizedTest
    @CsvSource({
        "53100, the disk of the database is full: free some space",
        "53200, a limit of the database is reached (ERROR: seen): raise it there",
        "58030, the database cannot use its files (ERROR: seen): look at its log and its disk",
        "42501, the user lacks a privilege (ERROR: seen): grant it",
        "25006, the database is read-only (ERROR: seen)",
        "42P01, a table is missing (ERROR: seen): restart to have it created",
        "55P03, another program holds a lock on the rows for too long"
    })
    void explainsWhyAllWritesAreRefused(String state, String text) {
        assertThat(dialect.refusesWrites(failure(state))).isTrue();
        assertThat(dialect.explain(failure(state))).isEqualTo(text);
    }

    @Test
    void namesTheOptionForAPoolerOfTransactions() {
        assertThat(dialect.explain(failure("42P05"))).endsWith("(ERROR: seen): add prepareThreshold=0 to db.url");
    }

    @ParameterizedTest
    @CsvSource({"40001", "40P01", "55P03"})
    void retriesWhereAnotherTransactionWasInTheWay(String state) {
        assertThat(dialect.isLockedOut(failure(state))).isTrue();
        assertThat(dialect.isConnectionFailure(failure(state))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"08006", "57P01", "57P03", "25P03", "25006", "26000"})
    void opensAnotherConnection(String state) {
        assertThat(dialect.isConnectionFailure(failure(state))).isTrue();
        assertThat(dialect.isLockedOut(failure(state))).isFalse();
    }

    @Test
    void opensAnotherConnectionWhenTheDatabaseIsSilent() {
        assertThat(dialect.isConnectionFailure(new SQLException(
                        "An I/O error occurred", "00000", new SocketTimeoutException("Read timed out"))))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"28P01", "28000", "3D000", "3F000", "42501"})
    void aWrongSettingIsNotTriedAgain(String state) {
        assertThat(dialect.isWrongSetting(failure(state))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"22001", "22021"})
    void aValueThatDoesNotFitIsTheFaultOfItsCommand(String state) {
        assertThat(dialect.isBadValue(failure(state))).isTrue();
        assertThat(dialect.refusesWrites(failure(state))).isFalse();
    }
}
