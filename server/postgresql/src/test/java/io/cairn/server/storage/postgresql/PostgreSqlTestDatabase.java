package io.cairn.server.storage.postgresql;

import io.cairn.server.postgresql.TestSchema;
import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.server.ServerSettings;
import java.time.Duration;
import java.util.List;

/** A database on PostgreSQL. */
public final class PostgreSqlTestDatabase extends ServerTestDatabase {

    private TestSchema schema;

    public TestSchema schema() {
        return schema;
    }

    public static ServerSettings settings(TestSchema schema) {
        return new ServerSettings(List.of(source(schema)), ServerSettings.Pool.DEFAULT);
    }

    private static ServerSettings.Source source(TestSchema schema) {
        return new ServerSettings.Source(schema.url(), schema.user(), schema.password());
    }

    @Override
    protected ServerSettings.Source create(Class<?> owner) {
        schema = TestSchema.create(owner);
        return source(schema);
    }

    @Override
    protected void drop() {
        schema.close();
    }

    @Override
    protected PostgreSqlDatabase open(ServerSettings settings) {
        return new PostgreSqlDatabase(settings);
    }

    @Override
    public PostgreSqlDialect dialect(Duration silence) {
        return new PostgreSqlDialect(silence);
    }

    @Override
    public String socketTimeout(Duration limit) {
        return "socketTimeout=" + limit.toSeconds();
    }
}
