package io.cairn.server.backup;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * @param version of the format
 * @param cairn version of the server
 * @param at the time of the state
 * @param sections in the order of the restore
 */
public record Manifest(int version, String cairn, Instant at, List<Section> sections) {

    /** The written format, and the newest readable one. */
    public static final int VERSION = 1;

    static final String ENTRY = "manifest.json";
    private static final String FORMAT = "cairn-backup";
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /**
     * @param name its entry is {@code <name>.jsonl}
     * @param sha256 of the entry, in hexadecimal digits
     */
    public record Section(String name, long rows, String sha256) {

        String entry() {
            return name + ".jsonl";
        }
    }

    public Manifest {
        sections = List.copyOf(sections);
    }

    byte[] toJson() {
        ObjectNode json = JSON.createObjectNode()
                .put("format", FORMAT)
                .put("version", version)
                .put("cairn", cairn)
                .put("at", at.toString());
        ArrayNode all = json.putArray("sections");
        for (Section section : sections) {
            all.addObject()
                    .put("name", section.name())
                    .put("rows", section.rows())
                    .put("sha256", section.sha256());
        }
        return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(json);
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for another text or a newer format */
    static Manifest parse(byte[] json) {
        try {
            JsonNode tree = JSON.readTree(json);
            if (!FORMAT.equals(tree.path("format").asString(""))) {
                throw unreadable(ENTRY + " does not say that this is a " + FORMAT);
            }
            int version = tree.path("version").asInt(0);
            if (version < 1 || version > VERSION) {
                throw unreadable("its format has version " + version + " (expected: 1-" + VERSION
                        + "; restore it with the version of Cairn that made it, "
                        + tree.path("cairn").asString("?") + ")");
            }
            List<Section> sections = new ArrayList<>();
            for (JsonNode section : tree.path("sections")) {
                sections.add(new Section(
                        section.path("name").asString(""),
                        section.path("rows").asLong(-1),
                        section.path("sha256").asString("")));
            }
            return new Manifest(
                    version,
                    tree.path("cairn").asString(""),
                    Instant.parse(tree.path("at").asString("")),
                    sections);
        } catch (JacksonException | DateTimeException e) {
            throw unreadable(ENTRY + " cannot be read");
        }
    }

    static CairnException unreadable(String because) {
        return new CairnException(
                ErrorCode.INVALID_PARAMETER, "The archive cannot be restored: " + because + "; nothing was changed");
    }
}
