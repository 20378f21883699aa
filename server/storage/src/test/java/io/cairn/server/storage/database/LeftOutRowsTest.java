package io.cairn.server.storage.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.LogWatch;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeftOutRowsTest {

    private long nanos;
    private final LeftOutRows rows = new LeftOutRows(() -> nanos, true);

    private void leaveAll(String table, int first, int last) {
        LeftOutRows.Reading reading = rows.whole(table);
        for (int id = first; id <= last; id++) {
            reading.leave("id " + id, "group_id: NULL");
        }
        reading.done();
    }

    @Test
    void countsAllRowsAndNamesSome() {
        leaveAll("config_info", 1, 20_000);

        assertThat(rows.present()).singleElement().satisfies(left -> {
            assertThat(left.table()).isEqualTo("config_info");
            assertThat(left.rows()).isEqualTo(20_000);
            assertThat(left.text())
                    .isEqualTo("id 1: group_id: NULL; id 2: group_id: NULL; id 3: group_id: NULL; id 4: group_id: NULL;"
                            + " id 5: group_id: NULL; and 19995 more");
        });
    }

    @Test
    void aReaderOfAllRowsReplacesWhatIsKnown() {
        leaveAll("config_info", 1, 3);
        rows.some("config_info").leave("id 9", "group_id: NULL");
        assertThat(rows.present()).singleElement().satisfies(left -> assertThat(left.rows())
                .isEqualTo(4));

        leaveAll("config_info", 2, 2);

        assertThat(rows.present()).singleElement().satisfies(left -> assertThat(left.text())
                .isEqualTo("id 2: group_id: NULL"));
        leaveAll("config_info", 1, 0);
        assertThat(rows.present()).isEmpty();
    }

    @Test
    void aReaderThatFailsHalfWayReplacesNothing() {
        leaveAll("config_info", 1, 3);

        rows.whole("config_info").leave("id 7", "group_id: NULL");

        assertThat(rows.present()).singleElement().satisfies(left -> assertThat(left.rows())
                .isEqualTo(3));
    }

    @Test
    void aRowThatOneReaderHasMetIsForgottenAnHourAfterItWasLastMet() {
        rows.some("his_config_info").leave("nid 1", "group_id: NULL");
        nanos += Duration.ofMinutes(50).toNanos();
        rows.some("his_config_info").leave("nid 1", "group_id: NULL");
        rows.some("his_config_info").leave("nid 2", "group_id: NULL");
        nanos += Duration.ofMinutes(60).toNanos();
        assertThat(rows.present()).singleElement().satisfies(left -> assertThat(left.rows())
                .isEqualTo(2));

        nanos++;

        assertThat(rows.present()).isEmpty();
    }

    @Test
    void logsEachRowOnceAndAFewOfMany() {
        try (LogWatch log = new LogWatch()) {
            leaveAll("watched", 1, 8);
            leaveAll("watched", 1, 8);
            rows.some("watched").leave("id 1", "group_id: NULL");

            assertThat(log.warningsOf(LeftOutRows.class))
                    .filteredOn(line -> line.contains("watched"))
                    .hasSize(LeftOutRows.EXAMPLES + 1)
                    .startsWith("The row of watched with id 1 is left out: group_id: NULL. Correct or delete it")
                    .endsWith("3 more rows of watched are left out");
        }
    }
}
