package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.server.DatabaseServer;
import io.cairn.server.storage.server.ServerProduct;
import io.cairn.server.storage.server.ServerSettings;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** PostgreSQL. */
public final class PostgreSql implements ServerProduct {

    private static final String DRIVER = "org.postgresql.Driver";

    /** Options of MySQL's driver that a URL often has, in small letters. */
    private static final Set<String> MYSQL_OPTIONS = Set.of(
            "allowmultiqueries",
            "allowpublickeyretrieval",
            "autoreconnect",
            "characterencoding",
            "connectioncollation",
            "rewritebatchedstatements",
            "servertimezone",
            "useaffectedrows",
            "usessl",
            "useunicode",
            "zerodatetimebehavior");

    @Override
    public String name() {
        return "PostgreSQL";
    }

    @Override
    public List<String> platforms() {
        return List.of("postgresql", "postgres");
    }

    @Override
    public String urlForm() {
        return "jdbc:postgresql://host:port/database";
    }

    @Override
    public boolean isUrl(String url) {
        return PostgreSqlConnections.isUrl(url);
    }

    @Override
    public Optional<String> unfitOption(String url) {
        Set<String> unfit = new TreeSet<>(PostgreSqlConnections.optionsOf(url).keySet());
        unfit.removeIf(option -> !MYSQL_OPTIONS.contains(option.toLowerCase(Locale.ROOT)));
        return unfit.stream().findFirst();
    }

    /** Other products take this platform with drivers of their own, such as openGauss. */
    @Override
    public Optional<String> driver() {
        return Optional.of(DRIVER);
    }

    @Override
    public Optional<Variables> containerVariables() {
        return Optional.empty();
    }

    @Override
    public int usualPort() {
        return 5432;
    }

    @Override
    public String url(String host, int port, String database) {
        return "jdbc:postgresql://" + host + ':' + port + '/' + database;
    }

    @Override
    public DatabaseServer open(ServerSettings settings) {
        return new PostgreSqlDatabase(settings);
    }
}
