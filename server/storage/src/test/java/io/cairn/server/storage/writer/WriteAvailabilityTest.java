package io.cairn.server.storage.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestDatabase;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.mysql.MySqlDialect;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Whether the server knows that its database refuses writes, and that it stores them again. */
class WriteAvailabilityTest {

    private static final String LARGE = "x".repeat(130_000);

    @TempDir
    Path folder;

    private FaultyConnections connections;
    private TestStore store;

    /** The pages that the file may have; a connection opened afterwards obeys. */
    private volatile int maxPages = Integer.MAX_VALUE - 1;

    @BeforeEach
    void open() {
        TestDatabase database = TestDatabase.sqlite(folder);
        connections = new FaultyConnections(() -> limited(database.writer().open()));
        store = TestStore.start(database.writtenThrough(connections));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private Connection limited(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA max_page_count=" + maxPages);
        }
        return connection;
    }

    /** Restarts the writer on a file that has room for a small write and none for a large one. */
    private void fillDisk() {
        store.publish("small", "0");
        maxPages = Integer.parseInt(store.column("PRAGMA page_count").get(0)) + 4;
        store.close();
        store = TestStore.start(TestDatabase.sqlite(folder).writtenThrough(connections));
    }

    @Test
    void fullDiskShowsUntilThereIsRoomForTheRefusedWriteAlsoWithoutFurtherWrites() {
        fillDisk();
        assertThat(store.writer.availability().cause()).isNull();

        CairnException refused = refusal("large", LARGE);

        assertThat(refused).hasMessageContaining("disk of the data folder is full");
        assertThat(store.writer.availability().cause())
                .hasMessage("The database cannot be written: the disk of the data folder is full: free some space");
        assertThat(store.writer.availability().isRefusing()).isTrue();
        assertThat(store.writer.availability().secondsRefused()).isPositive();
        assertThat(store.writer.circuit().cause()).as("it can be reached").isNull();

        store.publish("small", "1");
        assertThat(store.writer.availability().isRefusing())
                .as("a small write that fits says nothing about the large one")
                .isTrue();

        maxPages = Integer.MAX_VALUE - 1;
        await().until(() -> store.writer.availability().cause() == null);
        assertThat(store.writer.availability().secondsRefused()).isZero();
        assertThat(store.column("SELECT kind FROM cairn_change WHERE revision < 0"))
                .as("the probe leaves nothing behind")
                .isEmpty();
        store.publish("large", LARGE);
        assertThat(store.announced()).hasSize(3);
    }

    @Test
    void theNextWriteOfThatSizeEndsTheRefusal() {
        fillDisk();
        refusal("large", LARGE);
        maxPages = Integer.MAX_VALUE - 1;

        store.publish("large", LARGE);

        assertThat(store.writer.availability().cause()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "SQLITE_FULL, disk of the data folder is full",
        "SQLITE_READONLY, data folder is read-only",
        "SQLITE_READONLY_DBMOVED, data folder is read-only",
        "SQLITE_IOERR_WRITE, writing the data folder failed",
        "SQLITE_CANTOPEN, unable",
        "SQLITE_BUSY, another process holds the database file",
        "SQLITE_LOCKED, unable",
    })
    void everyCauseOfTheDatabaseShowsUntilTheNextWriteIsStored(SQLiteErrorCode code, String text) {
        connections.fail("COMMIT", new SQLiteException("unable", code));

        assertThat(refusal("a", "1").code()).isEqualTo(ErrorCode.UNAVAILABLE);

        assertThat(store.writer.availability().cause()).hasMessageContaining(text);
        store.publish("a", "1");
        assertThat(store.writer.availability().cause()).isNull();
    }

    @Test
    void aWriteThatFailsForItsOwnSakeIsNoRefusal() {
        store.byHand("CREATE TRIGGER bad BEFORE INSERT ON config_info WHEN NEW.data_id = 'bad'"
                + " BEGIN SELECT RAISE(ABORT, 'this row is bad'); END");

        assertThat(refusal("bad", "1")).hasMessageContaining("this row is bad");

        assertThat(store.writer.availability().cause()).isNull();
    }

    @Test
    void databaseThatCannotBeReachedCountsAsUnwritableAsWell() {
        connections.fail("BEGIN", FaultyConnections.brokenDisk());
        connections.unreachable("no such disk");

        refusal("a", "1");

        assertThat(store.writer.availability().cause()).hasMessageContaining("no such disk");
        assertThat(store.writer.availability().isRefusing()).isFalse();
        assertThat(store.writer.availability().secondsRefused()).isPositive();
        connections.reachable();
        await().until(() -> store.writer.availability().cause() == null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1021 | Disk full (/tmp/x); waiting | HY000 | true | the disk of the database is full",
                "1114 | The table 'config_info' is full | HY000 | true | the disk of the database is full",
                "1030 | Got error 28 from storage engine | HY000 | true | the disk of the database is full",
                "1026 | Error writing file 'x' (Errcode: 28 - No space) | HY000 | true | the disk of the database is full",
                "3 | Error writing file 'x' (OS errno 28 - No space left on device) | HY000 | true | the disk of the database is full",
                "1030 | Got error 122 - 'Disk quota exceeded' from storage engine | HY000 | true | the disk of the database is full",
                "1030 | Got error 5 from storage engine | HY000 | true | the database cannot write its files",
                "1290 | The MySQL server is running with the --read-only option | HY000 | true | the database is read-only",
                "1836 | Running in read-only mode | HY000 | true | the database is read-only",
                "1874 | InnoDB is in read only mode. | HY000 | true | the database is read-only",
                "1226 | User 'c' has exceeded the 'max_updates' resource | 42000 | true | a limit of the database is reached",
                "1040 | Too many connections | 08004 | true | a limit of the database is reached",
                "1205 | Lock wait timeout exceeded | 40001 | true | another program holds a lock",
                "1142 | INSERT command denied to user | 42000 | true | the user lacks a privilege",
                "0 | Communications link failure | 08S01 | true | no connection to the database",
                "1062 | Duplicate entry | 23000 | false | Duplicate entry",
                "1406 | Data too long for column | 22001 | false | Data too long",
                "1213 | Deadlock found | 40001 | false | another program wrote the same rows",
                "1644 | this row is bad | 45000 | false | this row is bad",
            })
    void reportsFailuresOfMySql(int code, String message, String state, boolean refuses, String text) {
        MySqlDialect dialect = new MySqlDialect();
        SQLException failure = new SQLException(message, state, code);

        assertThat(dialect.refusesWrites(failure)).isEqualTo(refuses);
        assertThat(dialect.explain(failure)).contains(text);
    }

    private CairnException refusal(String dataId, String content) {
        return catchThrowableOfType(
                CairnException.class,
                () -> TestStore.get(store.store.publish(SampleCommands.publish(dataId, content))));
    }
}
