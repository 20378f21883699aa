package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.server.config.transfer.TransferPreview;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of an import or copy before it happens, in version 3. */
public record TransferOutlook(
        int create,
        int update,
        int same,
        int skip,
        int fail,
        int invalid,
        List<Item> items,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer unrecognizedCount,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Transferred.Unrecognized> unrecognizedData) {

    public record Item(
            String namespaceId,
            String groupName,
            String dataId,
            String action,
            @Nullable String md5Before,
            String md5,
            String diff,
            boolean diffIsCut,
            @Nullable String problem) {

        private static Item of(TransferPreview.Item item) {
            return new Item(
                    item.key().namespace().id(),
                    item.key().group(),
                    item.key().dataId(),
                    item.action().name(),
                    item.before().map(Object::toString).orElse(null),
                    item.now().toString(),
                    item.diff(),
                    item.isCut(),
                    item.problem().orElse(null));
        }
    }

    public TransferOutlook {
        items = List.copyOf(items);
        unrecognizedData = List.copyOf(unrecognizedData);
    }

    public static TransferOutlook of(TransferPreview preview) {
        TransferPreview.Counts counts = preview.counts();
        return new TransferOutlook(
                counts.create(),
                counts.update(),
                counts.same(),
                counts.skip(),
                counts.fail(),
                counts.invalid(),
                preview.items().stream().map(Item::of).toList(),
                Transferred.countOf(preview.unrecognized()),
                Transferred.Unrecognized.listOf(preview.unrecognized()));
    }
}
