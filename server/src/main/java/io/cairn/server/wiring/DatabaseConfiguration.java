package io.cairn.server.wiring;

import io.cairn.server.storage.Database;
import io.cairn.server.storage.MySqlDatabase;
import io.cairn.server.storage.SqliteDatabase;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Builds the database that the settings ask for. */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

    @Bean
    DatabaseSettings databaseSettings(Environment environment) {
        return DatabaseSettings.read(environment);
    }

    @Bean(destroyMethod = "close")
    Database database(DatabaseSettings settings, DataFolder folder) {
        if (settings.mysql().isEmpty()) {
            return SqliteDatabase.open(folder.path());
        }
        MySqlDatabase database = new MySqlDatabase(settings.mysql().get());
        database.prepare();
        return database;
    }
}
