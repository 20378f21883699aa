package io.cairn.server.config.transfer;

import io.cairn.server.config.ConfigAttributes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Writes an archive by entries. As in Nacos the list comes last; until then it is compressed in memory, about ten bytes for each
 * configuration. Not thread-safe.
 */
final class ArchiveWriter implements AutoCloseable {

    static final String TAGS = "configTags";
    static final String USE = "use";
    static final String EFFECT = "effect";
    static final String SCHEMA = "schema";
    static final String ENCRYPTED_DATA_KEY = "encryptedDataKey";
    /** Nacos ignores these. */
    static final List<String> FIELDS_OF_OURS = List.of(TAGS, USE, EFFECT, SCHEMA, ENCRYPTED_DATA_KEY);

    /** Ends keys of application names in the old layout. */
    static final String APP = ".app";

    /** Follows the name in keys of the old layout that Nacos ignores. */
    static final String OURS = ".cairn-";

    /** Follows {@link #OURS} for a configuration whose name an import would leave out if unlisted. */
    static final String LISTED = "listed";

    private final ZipOutputStream zip;
    private final ArchiveLayout layout;
    private final Yaml yaml;
    private final ByteArrayOutputStream compressedList = new ByteArrayOutputStream();
    private final OutputStream list = new DeflaterOutputStream(compressedList);
    private boolean hasList;

    ArchiveWriter(OutputStream out, ArchiveLayout layout) {
        this.zip = new ZipOutputStream(out, StandardCharsets.UTF_8);
        this.layout = layout;
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        this.yaml = new Yaml(new Texts(options), options);
    }

    /** Quotes texts whose line ends or invisible characters would be lost. */
    private static final class Texts extends Representer {

        private static final Pattern ESCAPED = Pattern.compile("[\\p{Cntrl}\\x{85}\\x{a0}\\x{2028}\\x{2029}\\x{feff}]");

        Texts(DumperOptions options) {
            super(options);
            representers.put(
                    String.class,
                    text -> representScalar(
                            Tag.STR,
                            (String) text,
                            ESCAPED.matcher((String) text).find()
                                    ? DumperOptions.ScalarStyle.DOUBLE_QUOTED
                                    : DumperOptions.ScalarStyle.PLAIN));
        }
    }

    void add(WholeConfig config) throws IOException {
        String group = config.key().group();
        String dataId = config.key().dataId();
        zip.putNextEntry(new ZipEntry(EntryName.of(group, dataId)));
        zip.write(config.utf8());
        zip.closeEntry();
        String line = layout == ArchiveLayout.LISTED ? item(config) : lines(config);
        if (!line.isEmpty()) {
            hasList = true;
            list.write(line.getBytes(StandardCharsets.UTF_8));
        }
    }

    private String item(WholeConfig config) {
        ConfigAttributes attributes = config.attributes();
        Map<String, String> item = new TreeMap<>();
        item.put("appName", attributes.appName() == null ? "" : attributes.appName());
        item.put("dataId", config.key().dataId());
        item.put("group", config.key().group());
        item.put("type", attributes.type().wireName());
        if (attributes.description() != null && !attributes.description().isEmpty()) {
            item.put("desc", attributes.description());
        }
        item.putAll(ours(attributes));
        return yaml.dump(List.of(item));
    }

    /** Cairn's attributes with a value, in fields that Nacos ignores. */
    private static Map<String, String> ours(ConfigAttributes attributes) {
        Map<String, String> fields = new TreeMap<>();
        List<String> tags = attributes.tags();
        put(fields, TAGS, tags == null ? null : String.join(",", tags));
        put(fields, USE, attributes.use());
        put(fields, EFFECT, attributes.effect());
        put(fields, SCHEMA, attributes.schema());
        put(fields, ENCRYPTED_DATA_KEY, attributes.encryptedDataKey());
        return fields;
    }

    private static void put(Map<String, String> fields, String name, @Nullable String value) {
        if (value != null && !value.isBlank()) {
            fields.put(name, value);
        }
    }

    private static String lines(WholeConfig config) {
        String key = lineKey(config.key().group(), config.key().dataId());
        StringBuilder lines = new StringBuilder();
        String appName = config.attributes().appName();
        if (appName != null && !appName.isBlank()) {
            lines.append(key)
                    .append(APP)
                    .append('=')
                    .append(appName.replace('\r', ' ').replace('\n', ' '))
                    .append("\r\n");
        }
        if (EntryName.needsList(EntryName.of(config.key().group(), config.key().dataId()))) {
            lines.append(key).append(OURS).append(LISTED).append("=true\r\n");
        }
        // Nacos ignores all lines if one has a second equals sign.
        ours(config.attributes()).forEach((field, value) -> lines.append(key)
                .append(OURS)
                .append(field)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8))
                .append("\r\n"));
        return lines.toString();
    }

    static String lineKey(String group, String dataId) {
        int dot = dataId.lastIndexOf('.');
        String name = dot < 0 ? dataId : dataId.substring(0, dot) + '~' + dataId.substring(dot + 1);
        return group + '.' + name;
    }

    /** Writes the list and finishes the archive; the underlying stream stays open. */
    @Override
    public void close() throws IOException {
        list.close();
        if (hasList || layout == ArchiveLayout.LISTED) {
            zip.putNextEntry(new ZipEntry(layout.entry()));
            if (layout == ArchiveLayout.LISTED) {
                zip.write((hasList ? "metadata:\n" : "metadata: []\n").getBytes(StandardCharsets.UTF_8));
            }
            new InflaterInputStream(new ByteArrayInputStream(compressedList.toByteArray())).transferTo(zip);
            zip.closeEntry();
        }
        zip.finish();
    }
}
