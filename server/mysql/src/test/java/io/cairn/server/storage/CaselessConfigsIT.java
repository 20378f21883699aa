package io.cairn.server.storage;

import static io.cairn.server.storage.SampleCommands.publish;
import static io.cairn.server.storage.SampleCommands.remove;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.mysql.TestSchema;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Configurations in a database of Nacos whose tables compare upper and lower case letters as equal. */
@Tag("mysql")
class CaselessConfigsIT {

    @Test
    void aConfigurationIsNotChangedUnderANameInOtherLetters() throws Exception {
        try (TestSchema schema = TestSchema.create(CaselessConfigsIT.class);
                MySqlDatabase database = new MySqlDatabase(MySqlTestDatabase.settings(schema))) {
            NacosGeneration.V2_5.create(schema);
            schema.execute("ALTER TABLE config_info CONVERT TO CHARACTER SET utf8 COLLATE utf8_general_ci");
            database.prepare();
            try (TestStore store =
                    TestStore.start(new TestDatabase(database::openWriter, database::openReader, database.dialect()))) {
                store.publish("app.yaml", "a: 1");

                for (String content : List.of("a: 2", "x".repeat(40 * 1024))) {
                    assertThatThrownBy(() -> store.tryToPublish(publish("APP.yaml", content)))
                            .as("%d bytes", content.length())
                            .isInstanceOf(CairnException.class)
                            .hasMessageContaining("Duplicate entry 'APP.yaml");
                }
                assertThat(store.remove(remove("APP.yaml"))).isEmpty();
                assertThat(store.query("SELECT data_id, content FROM config_info WHERE data_id = 'app.yaml'"))
                        .containsExactly(List.of("app.yaml", "a: 1"));
                assertThat(store.column("SELECT op_type FROM his_config_info WHERE data_id = 'app.yaml'"))
                        .containsExactly("I");
            }
        }
    }
}
