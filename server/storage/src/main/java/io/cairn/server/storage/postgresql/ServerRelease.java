package io.cairn.server.storage.postgresql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Product, release and encoding of the server, checked before the schema. */
final class ServerRelease {

    /** The oldest release that PostgreSQL maintains. */
    private static final int MAINTAINED_FROM = 15;
    /** Products with another name, or with the name of the release that they come from. */
    private static final List<String> OTHERS =
            List.of("opengauss", "gaussdb", "kingbase", "-yb-", "redshift", "greenplum", "cockroach", "vastbase");

    private static final Logger log = LoggerFactory.getLogger(ServerRelease.class);

    private ServerRelease() {}

    /** @throws UnsupportedServerException for another product or encoding */
    static void check(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT version(), current_setting('server_encoding')")) {
            rows.next();
            check(rows.getString(1), rows.getString(2));
        }
    }

    static void check(String version, String encoding) throws SQLException {
        String small = version.toLowerCase(Locale.ROOT);
        if (!small.startsWith("postgresql ") || OTHERS.stream().anyMatch(small::contains)) {
            throw new UnsupportedServerException("it is '" + version + "' (expected: PostgreSQL)");
        }
        if (!encoding.equalsIgnoreCase("UTF8")) {
            throw new UnsupportedServerException(
                    "its encoding is " + encoding + " (expected: UTF8): create the database with ENCODING 'UTF8'");
        }
        int major = Integer.parseInt(version.substring("PostgreSQL ".length()).split("\\D", 2)[0]);
        if (major < MAINTAINED_FROM) {
            log.warn(
                    "PostgreSQL {} is no longer maintained and not tested with Cairn; upgrade it to {} or newer",
                    major,
                    MAINTAINED_FROM);
        }
    }
}
