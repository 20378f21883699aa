package io.cairn.server.storage.mysql;

import io.cairn.server.mysql.TestSchema;
import io.cairn.server.storage.ServerTestDatabase;
import io.cairn.server.storage.server.ServerSettings;
import java.time.Duration;
import java.util.List;

/** A database on MySQL. */
public final class MySqlTestDatabase extends ServerTestDatabase {

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
    protected MySqlDatabase open(ServerSettings settings) {
        return new MySqlDatabase(settings);
    }

    @Override
    public MySqlDialect dialect(Duration silence) {
        return new MySqlDialect(silence);
    }

    @Override
    public String socketTimeout(Duration limit) {
        return "socketTimeout=" + limit.toMillis();
    }
}
