package io.cairn.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

    private static final ConfigKey KEY = new ConfigKey(new Namespace("dev"), "G H", "a b.yaml");
    private static final Carried CARRIED = new Carried(version("1"), version("2"), true);

    @TempDir
    Path folder;

    private static ConfigVersion version(String digit) {
        return new ConfigVersion(digit.repeat(32), "f".repeat(32));
    }

    private Path file() {
        return folder.resolve("journal");
    }

    @Test
    void isReadByTheNextStart() throws IOException {
        String id;
        try (Journal journal = Journal.open(file(), "a b")) {
            id = journal.bridge();
            journal.putNamespaces(List.of(Namespace.DEFAULT, new Namespace("a b")));
            journal.intend(KEY);
            assertThat(journal.isIntended(KEY)).isTrue();
            journal.put(KEY, CARRIED);
            journal.putPersistent("one");
            journal.putPersistent("two");
            journal.removePersistent("one");
        }
        try (Journal journal = Journal.open(file(), "a b")) {
            assertThat(journal.bridge()).isEqualTo(id);
            assertThat(journal.namespaces()).containsExactly(Namespace.DEFAULT, new Namespace("a b"));
            assertThat(journal.isIntended(KEY)).isFalse();
            assertThat(journal.find(KEY)).isEqualTo(CARRIED);
            assertThat(journal.keys(new Namespace("dev"))).containsExactly(KEY);
            assertThat(journal.keys(Namespace.DEFAULT)).isEmpty();
            assertThat(journal.persistent()).containsExactly("two");
            journal.remove(KEY);
        }
        try (Journal journal = Journal.open(file(), "a b")) {
            assertThat(journal.find(KEY)).isNull();
        }
    }

    @Test
    void isReadAfterAKillInTheMiddleOfALine() throws IOException {
        try (Journal journal = Journal.open(file(), "a b")) {
            journal.put(KEY, CARRIED);
        }
        Files.writeString(file(), "c dev G torn", StandardOpenOption.APPEND);

        try (Journal journal = Journal.open(file(), "a b")) {
            assertThat(journal.keys(new Namespace("dev"))).containsExactly(KEY);
        }
        assertThat(Files.readString(file())).doesNotContain("torn");
    }

    @Test
    void refusesTheJournalOfOtherServersAndASecondBridge() throws IOException {
        try (Journal journal = Journal.open(file(), "a b")) {
            journal.put(KEY, CARRIED);
            assertThatThrownBy(() -> Journal.open(file(), "a b"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another bridge uses the journal");
        }
        assertThatThrownBy(() -> Journal.open(file(), "a c")).hasMessageContaining("is the journal of other servers");
    }

    @Test
    void namesADamagedLine() throws IOException {
        try (Journal journal = Journal.open(file(), "a b")) {
            journal.put(KEY, CARRIED);
        }
        Files.writeString(file(), "c dev G\n", StandardOpenOption.APPEND);

        assertThatThrownBy(() -> Journal.open(file(), "a b"))
                .hasMessageContaining("damaged line 'c dev G' (delete the file");
    }
}
