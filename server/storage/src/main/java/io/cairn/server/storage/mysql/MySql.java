package io.cairn.server.storage.mysql;

import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.storage.server.ServerProduct;
import io.cairn.server.storage.server.ServerSettings;
import java.util.List;
import java.util.Optional;

/** MySQL 5.7 and newer, and MariaDB. */
public final class MySql implements ServerProduct {

    @Override
    public String name() {
        return "MySQL";
    }

    @Override
    public List<String> platforms() {
        return List.of("mysql", "mariadb");
    }

    @Override
    public String urlForm() {
        return "jdbc:mysql://host:port/database, for MariaDB too";
    }

    @Override
    public boolean isUrl(String url) {
        return MySqlConnections.isUrl(url);
    }

    @Override
    public Optional<Variables> containerVariables() {
        return Optional.of(new Variables(
                "MYSQL_SERVICE_HOST",
                "MYSQL_SERVICE_PORT",
                "MYSQL_SERVICE_DB_NAME",
                "MYSQL_SERVICE_DB_PARAM",
                "MYSQL_SERVICE_USER",
                "MYSQL_SERVICE_PASSWORD"));
    }

    @Override
    public int usualPort() {
        return 3306;
    }

    @Override
    public String url(String host, int port, String database) {
        return "jdbc:mysql://" + host + ':' + port + '/' + database;
    }

    @Override
    public DatabaseServer open(ServerSettings settings) {
        return new MySqlDatabase(settings);
    }
}
