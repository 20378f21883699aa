package io.cairn.server.http.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.changeset.ChangeSetResult;
import io.cairn.server.config.transfer.TransferReport;
import io.cairn.server.config.transfer.UnrecognizedEntry;
import io.cairn.server.http.envelope.JsonBody;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The members that the answers about configurations have, and those that they leave out. */
class ConfigRecordsTest {

    private static final ConfigKey KEY = new ConfigKey(new Namespace("dev"), "G", "a");
    private static final String NAMES = "{\"namespaceId\":\"dev\",\"groupName\":\"G\",\"dataId\":\"a\",";

    private static String json(Object record) {
        return new String(JsonBody.of(record), StandardCharsets.UTF_8);
    }

    @Test
    void readAnswerHasTheMembersOfItsReference() {
        ConfigEntry entry = new ConfigEntry(KEY, ContentDigest.of("x"), ConfigType.ofWireName("text"), 7, "", null);
        JsonNode json = JsonMapper.builder()
                .build()
                .readTree(ReadConfig.json(new ConfigVersion(entry, "x".getBytes(StandardCharsets.UTF_8))));

        assertThat(json.propertyNames())
                .containsExactlyElementsOf(Stream.of(ReadConfig.class.getRecordComponents())
                        .map(RecordComponent::getName)
                        .toList());
    }

    @Test
    void changeHasTheMembersOfItsOutcome() {
        ContentDigest digest = ContentDigest.of("x");
        ConfigChanged change = new ConfigChanged(KEY, 7, Optional.empty(), Optional.of(digest));

        assertThat(json(Change.of(new ChangeSetResult.Applied(KEY, Optional.of(change)))))
                .isEqualTo(NAMES + "\"outcome\":\"applied\",\"revision\":7}");
        assertThat(json(Change.of(new ChangeSetResult.Applied(KEY, Optional.empty()))))
                .isEqualTo(NAMES + "\"outcome\":\"applied\"}");
        assertThat(json(Change.of(new ChangeSetResult.Conflicting(KEY, Optional.of(digest)))))
                .isEqualTo(NAMES + "\"outcome\":\"conflict\",\"md5\":\"" + digest + "\"}");
        assertThat(json(Change.of(new ChangeSetResult.Conflicting(KEY, Optional.empty()))))
                .isEqualTo(NAMES + "\"outcome\":\"conflict\",\"md5\":null}");
        assertThat(json(Change.of(new ChangeSetResult.NotReached(KEY))))
                .isEqualTo(NAMES + "\"outcome\":\"notReached\"}");
    }

    @Test
    void emptyListsOfATransferAreLeftOut() {
        TransferReport nothing = new TransferReport(0, List.of(), List.of(), List.of(), 0);
        TransferReport all =
                new TransferReport(1, List.of(KEY), List.of(KEY), List.of(new UnrecognizedEntry("i", "")), 9);

        assertThat(json(Transferred.of(nothing))).isEqualTo("{\"succCount\":0,\"skipCount\":0}");
        assertThat(json(Transferred.of(all)))
                .isEqualTo("{\"succCount\":1,\"skipCount\":1,\"failData\":[{\"dataId\":\"a\",\"group\":\"G\"}],"
                        + "\"skipData\":[{\"dataId\":\"a\",\"group\":\"G\"}],\"unrecognizedCount\":1,"
                        + "\"unrecognizedData\":[{\"itemName\":\"i\",\"reason\":\"\"}]}");
    }
}
