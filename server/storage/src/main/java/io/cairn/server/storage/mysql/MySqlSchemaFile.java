package io.cairn.server.storage.mysql;

import io.cairn.server.storage.database.SchemaFile;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** Writes {@code conf/mysql-schema.sql} at the build. */
public final class MySqlSchemaFile {

    private static final String HEAD = """
            -- The schema of Cairn for MySQL 5.7 or newer and for MariaDB, to be run by hand in an empty database, as a user
            -- that may create tables. Cairn's own user then needs only SELECT, INSERT, UPDATE and DELETE. If Cairn's user may
            -- create tables, the first start of Cairn does the same. For a database that Nacos has used, run the statements
            -- that bin/startup.sh --dry-run prints instead.

            """;
    private static final String HISTORY = """
            -- The scripts that have run, so that Cairn does not run them again.
            CREATE TABLE cairn_schema_history (
              installed_rank int NOT NULL,
              version varchar(50) DEFAULT NULL,
              description varchar(200) NOT NULL,
              type varchar(20) NOT NULL,
              script varchar(1000) NOT NULL,
              checksum int DEFAULT NULL,
              installed_by varchar(100) NOT NULL,
              installed_on timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
              execution_time int NOT NULL,
              success boolean NOT NULL,
              PRIMARY KEY (installed_rank),
              KEY cairn_schema_history_s_idx (success)
            ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
            """;

    static final SchemaFile FILE = new SchemaFile("mysql", HEAD, HISTORY, "1", "");

    private MySqlSchemaFile() {}

    /** @param arguments the file */
    public static void main(String[] arguments) throws IOException, URISyntaxException {
        FILE.write(Path.of(arguments[0]));
    }
}
