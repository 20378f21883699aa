package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** {@code conf/mysql-schema.sql} is all scripts in one, with the table that says that they have run. */
class MySqlSchemaFileTest {

    private static final Path FILE = Path.of("..", "..", "distribution", "conf", "mysql-schema.sql");
    private static final Pattern NAME = Pattern.compile("V(\\d+)__(\\w+)\\.sql");
    private static final String HEAD = """
            -- The schema of Cairn on MySQL 5.7 or newer and on MariaDB, for those who run SQL by hand: in an empty database,
            -- as a user who may create tables. Cairn's own user then needs no more than SELECT, INSERT, UPDATE and DELETE.
            -- Where its user may create tables, Cairn does the same at its first start. For a database that Nacos has used
            -- take what bin/startup.sh --dry-run prints instead.

            """;
    private static final String HISTORY = """
            -- Which scripts have run, so that Cairn runs none of them again.
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

    @Test
    void theFileHoldsAllScripts() throws Exception {
        String expected = schema();
        if (Boolean.getBoolean("cairn.write-schema")) {
            Files.writeString(FILE, expected);
        }

        assertThat(Files.readString(FILE))
                .as("after a new script: ./mvnw test -pl server -am -Dtest=MySqlSchemaFileTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false -Dcairn.write-schema=true")
                .isEqualTo(expected);
    }

    private static String schema() throws Exception {
        Path folder = Path.of(MySqlSchema.class.getResource("migration/mysql").toURI());
        List<Path> scripts;
        try (Stream<Path> files = Files.list(folder)) {
            scripts = files.sorted(Comparator.comparingInt(
                            script -> Integer.parseInt(matched(script).group(1))))
                    .toList();
        }
        StringBuilder all = new StringBuilder(HEAD);
        StringBuilder history = new StringBuilder(HISTORY);
        int rank = 0;
        for (Path script : scripts) {
            String text = Files.readString(script);
            Matcher name = matched(script);
            all.append(text.stripTrailing()).append("\n\n");
            history.append("INSERT INTO cairn_schema_history (installed_rank, version, description, type, script,")
                    .append(" checksum, installed_by, execution_time, success)\n  VALUES (")
                    .append(++rank)
                    .append(", '")
                    .append(name.group(1))
                    .append("', '")
                    .append(name.group(2).replace('_', ' '))
                    .append("', 'SQL', '")
                    .append(script.getFileName())
                    .append("', ")
                    .append(checksum(text))
                    .append(", 'by hand', 0, 1);\n");
        }
        return all.append(history).toString();
    }

    private static Matcher matched(Path script) {
        Matcher name = NAME.matcher(script.getFileName().toString());
        assertThat(name.matches()).as("%s", script).isTrue();
        return name;
    }

    /** As Flyway computes it. */
    private static int checksum(String script) {
        CRC32 checksum = new CRC32();
        script.lines().forEach(line -> checksum.update(line.getBytes(StandardCharsets.UTF_8)));
        return (int) checksum.getValue();
    }
}
