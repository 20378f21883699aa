package io.cairn.junit.isolation;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.CodeSource;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A memory-mapped copy of the classes and resources that a start reads, because searching and inflating eighty jars takes
 * most of a start. Written by {@link PackWriter}. Immutable and thread-safe.
 *
 * <p>Format: the length of the index in four bytes; the index in UTF-8, with one line of tab-separated fields for each jar,
 * package, class, missing class and resource; then the contents in the order of their lines.
 */
final class Pack {

    static final String JAR = "jar";
    static final String PACKAGE = "package";
    static final String CLASS = "class";
    static final String ABSENT = "absent";
    static final String RESOURCE = "resource";

    /** Marks a folder in place of a length; only the jar can list a folder. */
    static final int FOLDER = -1;

    private final ByteBuffer contents;
    private final List<CodeSource> jars = new ArrayList<>();
    private final Map<String, Attributes> packages = new HashMap<>();
    private final Map<String, Entry> classes = new LinkedHashMap<>();
    private final Set<String> absent = new HashSet<>();
    private final Map<String, List<Entry>> resources = new HashMap<>();
    private int end;

    private Pack(ByteBuffer contents) {
        this.contents = contents;
    }

    private record Entry(int jar, int start, int length) {}

    /** The attributes of a package in the jar's manifest; a missing attribute is empty. */
    record Attributes(List<String> values) {
        @Nullable
        String value(int index) {
            String value = values.get(index);
            return value.isEmpty() ? null : value;
        }
    }

    record ClassFile(ByteBuffer bytes, CodeSource source) {}

    /** @return empty when the file is missing or was written from other jars */
    static Optional<Pack> open(Path file, List<Path> jars) throws IOException {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        ByteBuffer mapped;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
        byte[] index = new byte[mapped.getInt()];
        mapped.get(index);
        Pack pack = new Pack(mapped.slice());
        return pack.read(new String(index, StandardCharsets.UTF_8), jars) ? Optional.of(pack) : Optional.empty();
    }

    private boolean read(String index, List<Path> expected) throws IOException {
        int start = 0;
        for (int stop = index.indexOf('\n'); stop >= 0; stop = index.indexOf('\n', start)) {
            List<String> fields = fields(index, start, stop);
            String name = fields.get(1);
            switch (fields.get(0)) {
                case JAR -> {
                    if (jars.size() == expected.size() || !isSame(expected.get(jars.size()), fields)) {
                        return false;
                    }
                    jars.add(new CodeSource(ServerJars.url(expected.get(jars.size())), (Certificate[]) null));
                }
                case PACKAGE -> packages.put(name, new Attributes(fields.subList(2, fields.size())));
                case CLASS -> {
                    Entry entry = entry(fields, 2);
                    if (Integer.parseInt(fields.get(4)) > Runtime.version().feature()) {
                        classes.put(name, entry);
                    }
                }
                case ABSENT -> absent.add(name);
                default -> {
                    List<Entry> found = new ArrayList<>((fields.size() - 2) / 2);
                    for (int i = 2; i < fields.size(); i += 2) {
                        found.add(entry(fields, i));
                    }
                    resources.put(name, found);
                }
            }
            start = stop + 1;
        }
        return jars.size() == expected.size();
    }

    private static boolean isSame(Path jar, List<String> fields) throws IOException {
        return jar.getFileName().toString().equals(fields.get(1)) && Files.size(jar) == Long.parseLong(fields.get(2));
    }

    private static List<String> fields(String index, int start, int stop) {
        List<String> fields = new ArrayList<>(8);
        int from = start;
        for (int tab = index.indexOf('\t', from); tab >= 0 && tab < stop; tab = index.indexOf('\t', from)) {
            fields.add(index.substring(from, tab));
            from = tab + 1;
        }
        fields.add(index.substring(from, stop));
        return fields;
    }

    private Entry entry(List<String> fields, int at) {
        Entry entry = new Entry(Integer.parseInt(fields.get(at)), end, Integer.parseInt(fields.get(at + 1)));
        end += Math.max(0, entry.length());
        return entry;
    }

    Set<String> classNames() {
        return classes.keySet();
    }

    /** Whether a start requests this class although no jar contains it. */
    boolean isAbsent(String className) {
        return absent.contains(className);
    }

    Set<String> resourceNames() {
        return resources.keySet();
    }

    @Nullable
    ClassFile classFile(String name) {
        Entry entry = classes.get(name);
        return entry == null
                ? null
                : new ClassFile(contents.slice(entry.start(), entry.length()), jars.get(entry.jar()));
    }

    /** Null for a package without a class in the pack. */
    @Nullable
    Attributes attributes(String packageName) {
        return packages.get(packageName);
    }

    /** The resources of this name in the order of the jars, possibly empty; null when the jars must be searched. */
    @Nullable
    List<URL> resources(String name) {
        List<Entry> found = resources.get(name);
        if (found == null) {
            return null;
        }
        List<URL> urls = new ArrayList<>(found.size());
        for (Entry entry : found) {
            urls.add(url(name, entry));
        }
        return urls;
    }

    private URL url(String name, Entry entry) {
        try {
            String file = jars.get(entry.jar()).getLocation() + "!/" + name;
            return entry.length() == FOLDER
                    ? new URL("jar", "", -1, name.endsWith("/") ? file : file + '/')
                    : new URL("jar", "", -1, file, new Contents(entry));
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    private final class Contents extends URLStreamHandler {
        private final Entry entry;

        Contents(Entry entry) {
            this.entry = entry;
        }

        @Override
        protected URLConnection openConnection(URL url) {
            return new URLConnection(url) {
                @Override
                public void connect() {}

                @Override
                public long getContentLengthLong() {
                    return entry.length();
                }

                @Override
                public InputStream getInputStream() {
                    byte[] bytes = new byte[entry.length()];
                    contents.get(entry.start(), bytes);
                    return new ByteArrayInputStream(bytes);
                }
            };
        }
    }
}
