package io.cairn.server.storage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.PublishResult;
import io.cairn.server.storage.SampleCommands;
import io.cairn.server.storage.TestStore;
import io.cairn.server.storage.postgresql.PostgreSqlTestDatabase;
import io.cairn.server.storage.writer.Holding;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A text of the database has no character NUL. */
class PostgreSqlTextsIT {

    @RegisterExtension
    static final PostgreSqlTestDatabase DATABASE = new PostgreSqlTestDatabase();

    @TempDir
    Path folder;

    @Test
    void refusesANulWithItsColumnAndStoresTheOthersOfTheGroup() throws Exception {
        try (TestStore store = TestStore.start(DATABASE.of(folder))) {
            CountDownLatch held = new CountDownLatch(1);
            store.writer.submit(new Holding(new CountDownLatch(1), held));
            CompletionStage<PublishResult> before = store.store.publish(SampleCommands.publish("before", "1"));
            CompletionStage<PublishResult> bad = store.store.publish(SampleCommands.publish("bad", "a\0b"));
            CompletionStage<PublishResult> after = store.store.publish(SampleCommands.publish("after", "1"));
            held.countDown();

            assertThatThrownBy(() -> TestStore.get(bad)).isInstanceOfSatisfying(CairnException.class, failure -> {
                assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
                assertThat(failure.text()).contains("content has the character NUL at position 1");
            });
            TestStore.published(TestStore.get(before));
            TestStore.published(TestStore.get(after));
            assertThat(store.content("bad")).isNull();
            assertThat(store.content("after")).isEqualTo("1");
            assertThat(store.writer.availability().cause()).isNull();
        }
    }
}
