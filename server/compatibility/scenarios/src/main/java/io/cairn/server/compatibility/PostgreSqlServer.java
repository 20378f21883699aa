package io.cairn.server.compatibility;

import io.cairn.server.nodes.PostgreSqlProcess;
import io.cairn.server.process.CairnProcess;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One server with a PostgreSQL of its own for all tests of the module that are {@link StoredInPostgreSql}. */
final class PostgreSqlServer implements ExecutionCondition, ParameterResolver {
    private static final String DATABASE = "nacos";

    private record Running(PostgreSqlProcess database, CairnProcess server) implements AutoCloseable {
        static Running start() {
            PostgreSqlProcess database = PostgreSqlProcess.runningWith(DATABASE);
            try {
                CairnProcess server =
                        SharedServer.start(database.access(DATABASE).arguments().toArray(String[]::new));
                assertUses(database);
                return new Running(database, server);
            } catch (RuntimeException | AssertionError e) {
                database.close();
                throw e;
            }
        }

        private static void assertUses(PostgreSqlProcess database) {
            try (Connection connection = database.connect(DATABASE);
                    Statement statement = connection.createStatement()) {
                statement.execute("SELECT value FROM cairn_revision");
            } catch (SQLException e) {
                throw new AssertionError("the server has made no tables in PostgreSQL", e);
            }
        }

        @Override
        public void close() {
            try {
                server.close();
            } finally {
                database.close();
            }
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
        String obstacle = PostgreSqlProcess.obstacle();
        return obstacle == null
                ? ConditionEvaluationResult.enabled("PostgreSQL runs here")
                : ConditionEvaluationResult.disabled(obstacle);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == CairnProcess.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return test.getRoot()
                .getStore(ExtensionContext.Namespace.create(PostgreSqlServer.class))
                .computeIfAbsent(Running.class, none -> Running.start(), Running.class)
                .server();
    }
}
