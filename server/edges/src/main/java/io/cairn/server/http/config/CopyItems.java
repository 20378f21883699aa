package io.cairn.server.http.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.transfer.CopyItem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the items of a clone: {@code [{"cfgId":1,"dataId":"d","group":"g"}]} in version 1 and Nacos's console, {@code
 * [{"configId":1,"targetDataId":"d","targetGroupName":"g"}]} in the admin API of version 3.
 */
public final class CopyItems {

    private static final String EXPECTED = " (expected: a list such as [{\"configId\":1,\"targetGroupName\":\"g\","
            + "\"targetDataId\":\"d\"}] or [{\"cfgId\":1,\"group\":\"g\",\"dataId\":\"d\"}])";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private CopyItems() {}

    /**
     * The items in either form; empty without a body.
     *
     * @throws CairnException {@code INVALID_PARAMETER} with the wrong item
     */
    public static List<CopyItem> read(byte[] body) {
        List<CopyItem> items = new ArrayList<>();
        if (body.length == 0) {
            return items;
        }
        JsonNode list = parsed(body);
        if (!list.isArray()) {
            throw refused("body: " + list.getNodeType(), null);
        }
        for (JsonNode item : list) {
            items.add(new CopyItem(
                    id(item, items.size()),
                    text(item, "targetGroupName", "group", items.size()),
                    text(item, "targetDataId", "dataId", items.size())));
        }
        return items;
    }

    private static JsonNode parsed(byte[] body) {
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            throw refused("body: not JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static long id(JsonNode item, int index) {
        JsonNode id = item.has("configId") ? item.path("configId") : item.path("cfgId");
        try {
            if (id.isIntegralNumber() && id.canConvertToLong() || id.isString()) {
                return Long.parseLong(id.asString().trim());
            }
        } catch (NumberFormatException e) {
            throw refused("body: item " + (index + 1) + ": configId: '" + id.asString() + "' is no whole number", e);
        }
        throw refused(
                "body: item " + (index + 1) + ": "
                        + (id.isMissingNode() ? "no configId" : "configId: " + id + " is no whole number"),
                null);
    }

    private static @Nullable String text(JsonNode item, String name, String otherName, int index) {
        JsonNode text = item.has(name) ? item.path(name) : item.path(otherName);
        if (text.isMissingNode() || text.isNull()) {
            return null;
        }
        if (!text.isString()) {
            throw refused("body: item " + (index + 1) + ": " + name + ": " + text + " is no text", null);
        }
        return text.stringValue();
    }

    private static CairnException refused(String what, @Nullable Throwable cause) {
        return cause == null
                ? new CairnException(ErrorCode.INVALID_PARAMETER, what + EXPECTED)
                : new CairnException(ErrorCode.INVALID_PARAMETER, what + EXPECTED, cause);
    }
}
