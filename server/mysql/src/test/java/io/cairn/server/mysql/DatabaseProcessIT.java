package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.nodes.DatabaseProcess;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class DatabaseProcessIT {

    @BeforeEach
    void own() {
        TestSchema.assumeOwnProcess();
    }

    @Test
    void dataOutliveStopAndKillAndAPausedServerDoesNotAnswer() throws SQLException {
        try (DatabaseProcess database = DatabaseProcess.running()) {
            database.createSchema("kept");
            execute(database, "create table t (v int)");
            execute(database, "insert into t values (1)");
            database.stop();
            database.start();
            execute(database, "insert into t values (2)");
            database.kill();
            assertThatThrownBy(() -> database.connect("kept")).isInstanceOf(SQLException.class);
            database.start();
            assertThat(sum(database)).isEqualTo(3);

            database.pause();
            assertThatThrownBy(() -> DriverManager.getConnection(
                            database.url("kept") + "?connectTimeout=300&socketTimeout=300",
                            DatabaseProcess.USER,
                            DatabaseProcess.PASSWORD))
                    .isInstanceOf(SQLException.class);
            database.resume();
            assertThat(sum(database)).isEqualTo(3);
        }
    }

    @Test
    @Tag("mysql")
    void classesHaveSchemasOfTheirOwn() throws SQLException {
        try (TestSchema one = TestSchema.create(getClass());
                TestSchema other = TestSchema.create(getClass())) {
            one.execute("create table t (v varchar(8))");
            other.execute("create table t (v varchar(8))");
            assertThat(one.name()).isNotEqualTo(other.name());
        }
    }

    private static void execute(DatabaseProcess database, String sql) throws SQLException {
        try (Connection connection = database.connect("kept");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static int sum(DatabaseProcess database) throws SQLException {
        try (Connection connection = database.connect("kept");
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select sum(v) from t")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
