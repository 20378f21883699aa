package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.database.SchemaFile;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** Writes {@code conf/postgresql-schema.sql} at the build. */
public final class PostgreSqlSchemaFile {

    private static final String HEAD = """
            -- The schema of Cairn for PostgreSQL 15 or newer, to be run by hand in an empty schema, as a role that may create
            -- tables: psql -v ON_ERROR_STOP=1 -f postgresql-schema.sql. Cairn's own role then needs only SELECT, INSERT, UPDATE
            -- and DELETE on all tables and USAGE on all sequences. If Cairn's role may create tables, the first start of Cairn
            -- does the same. For a database that Nacos has used, run the statements that bin/startup.sh --dry-run prints instead.
            BEGIN;

            """;
    private static final String HISTORY = """
            -- The scripts that have run, so that Cairn does not run them again.
            CREATE TABLE cairn_schema_history (
              installed_rank int NOT NULL,
              version varchar(50),
              description varchar(200) NOT NULL,
              type varchar(20) NOT NULL,
              script varchar(1000) NOT NULL,
              checksum int,
              installed_by varchar(100) NOT NULL,
              installed_on timestamp NOT NULL DEFAULT now(),
              execution_time int NOT NULL,
              success boolean NOT NULL,
              CONSTRAINT cairn_schema_history_pk PRIMARY KEY (installed_rank)
            );
            CREATE INDEX cairn_schema_history_s_idx ON cairn_schema_history (success);
            """;

    static final SchemaFile FILE = new SchemaFile(PostgreSqlSchema.FOLDER, HEAD, HISTORY, "true", "COMMIT;\n");

    private PostgreSqlSchemaFile() {}

    /** @param arguments the file */
    public static void main(String[] arguments) throws IOException, URISyntaxException {
        FILE.write(Path.of(arguments[0]));
    }
}
