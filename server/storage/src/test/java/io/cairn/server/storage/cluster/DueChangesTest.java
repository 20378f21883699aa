package io.cairn.server.storage.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.server.storage.row.ChangeRow;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DueChangesTest {

    private final DueChanges due = new DueChanges();

    @Test
    void eachKindOfTheChangeLogHasARule() throws Exception {
        List<String> kinds = new ArrayList<>();
        for (Field field : ChangeRow.class.getDeclaredFields()) {
            if (field.getType() == String.class
                    && java.lang.reflect.Modifier.isStatic(field.getModifiers())
                    && !field.getName().endsWith("_PROBE")) {
                kinds.add((String) field.get(null));
            }
        }

        assertThat(kinds).contains(ChangeRow.CONFIG, ChangeRow.SECRET);
        assertThat(DueChanges.kinds()).containsExactlyInAnyOrderElementsOf(kinds);
    }

    @Test
    void ignoresAKindOfANewerRelease() {
        assertThat(due.add(row("of-a-later-release", "a"))).isFalse();

        assertThat(due.isEmpty()).isTrue();
    }

    @Test
    void withVeryManyServicesAllAreReadAgain() {
        for (int i = 0; i < 256; i++) {
            due.add(row(ChangeRow.INSTANCE, "service-" + i));
        }
        assertThat(due.services).hasSize(256);
        assertThat(due.parts).isEmpty();

        due.add(row(ChangeRow.INSTANCE, "one-more"));
        due.add(row(ChangeRow.INSTANCE, "another"));

        assertThat(due.services).isEmpty();
        assertThat(due.parts).containsExactly(DueChanges.Part.REGISTRY);
    }

    @Test
    void aRowThatNamesNoConfigurationHasAllCompared() {
        ChangeRow row = row(ChangeRow.CONFIG, "");

        assertThatThrownBy(() -> due.add(row)).isInstanceOf(IllegalArgumentException.class);
        due.unreadable(row);

        assertThat(due.compare).isTrue();
        assertThat(due.parts).isEmpty();
    }

    private static ChangeRow row(String kind, String name) {
        return new ChangeRow(1, kind, "U", name, "DEFAULT_GROUP", "", null);
    }
}
