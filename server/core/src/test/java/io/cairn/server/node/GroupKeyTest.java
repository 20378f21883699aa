package io.cairn.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** All nodes of one database have one key of the group. */
class GroupKeyTest {

    private final MemorySecrets database = new MemorySecrets();
    private final Copies here = new Copies();
    private final Copies there = new Copies();

    private static final class Copies implements LocalSecrets {

        private final Map<String, String> files = new HashMap<>();

        @Override
        public Optional<String> read(String name) {
            return Optional.ofNullable(files.get(name));
        }

        @Override
        public void write(String name, String secret) {
            files.put(name, secret);
        }
    }

    private GroupKey node(Copies copies) {
        return new GroupKey(database, copies, null);
    }

    @Test
    void theFirstNodeMakesTheKeyAndTheOthersReadIt() {
        byte[] key = node(here).load();

        assertThat(key).hasSize(GroupKey.BYTES);
        assertThat(node(there).load()).isEqualTo(key);
        assertThat(Base64.getDecoder().decode(database.stored.get(GroupKey.NAME)))
                .isEqualTo(key);
        assertThat(there.files).isEqualTo(database.stored).isEqualTo(here.files);
    }

    @Test
    void startsWithItsCopyWhileTheDatabaseIsUnavailable() {
        byte[] key = node(here).load();
        database.away = true;

        assertThat(node(here).load()).isEqualTo(key);
        assertThatThrownBy(() -> node(there).load())
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void databaseWithoutAKeyGetsTheKeyOfTheNodesCopy() {
        byte[] key = node(here).load();
        database.stored.clear();

        assertThat(node(here).load()).isEqualTo(key);
        assertThat(database.stored).containsKey(GroupKey.NAME);
    }

    @Test
    void aNewKeyIsStoredAndReachesTheCopiesOfAllNodes() {
        byte[] before = node(here).load();
        GroupKey other = node(there);
        other.load();

        node(here).rotate();
        other.reload();

        assertThat(node(here).load()).isNotEqualTo(before);
        assertThat(there.files).isEqualTo(database.stored).isEqualTo(here.files);
    }

    @Test
    void doesNotCreateAKeyOnReloadWithoutACopy() {
        node(here).reload();

        assertThat(database.stored).isEmpty();
    }

    @Test
    void theKeyOfTheSettingsCountsAndIsNotStored() {
        byte[] key = new byte[GroupKey.BYTES];
        key[0] = 7;
        GroupKey configured =
                new GroupKey(database, here, ' ' + Base64.getEncoder().encodeToString(key));

        assertThat(configured.load()).isEqualTo(key);
        assertThatThrownBy(configured::rotate).isInstanceOfSatisfying(CairnException.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(ErrorCode.UNSUPPORTED);
            assertThat(refusal.text()).contains("cairn.cluster.key");
        });
        assertThat(database.stored).isEmpty();
        assertThat(here.files).isEmpty();
    }

    @Test
    void aSettingThatIsNoKeyIsRefusedInOneLineWithoutItsValue() {
        for (String wrong : new String[] {"secret-text", "c2VjcmV0LXRleHQ=", "a".repeat(100)}) {
            assertThatThrownBy(() -> new GroupKey(database, here, wrong))
                    .isInstanceOfSatisfying(CairnException.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
                        assertThat(refusal.text())
                                .isEqualTo("cairn.cluster.key: not the Base64 form of 32 bytes (expected: the output of"
                                        + " 'openssl rand -base64 32', the same on all nodes)");
                    });
        }
    }

    @Test
    void reportsTheRemedyForARowWithoutKey() {
        database.stored.put(GroupKey.NAME, "secret-text");

        assertThatThrownBy(() -> node(here).load())
                .hasMessageContaining("row 'group-key' of cairn_secret")
                .hasMessageNotContaining("secret-text");
    }
}
