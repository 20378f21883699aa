package io.cairn.api.naming;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An unmodifiable map of few texts in the order of their insertion. Keys and values alternate in one array, which takes less memory
 * than a linked hash map and is copied faster; a look-up compares up to {@link #MOST} keys.
 */
final class FewTexts extends AbstractMap<String, String> {

    static final int MOST = 16;

    private final String[] texts;

    private FewTexts(String[] texts) {
        this.texts = texts;
    }

    /** An unmodifiable copy in the same order; the map itself if it is such a copy. */
    static Map<String, String> copyOf(Map<String, String> map) {
        if (map instanceof FewTexts) {
            return map;
        }
        int size = map.size();
        if (size == 0) {
            return Map.of();
        }
        if (size > MOST) {
            return Collections.unmodifiableMap(new LinkedHashMap<>(map));
        }
        String[] texts = new String[2 * size];
        int at = 0;
        for (Map.Entry<String, String> each : map.entrySet()) {
            texts[at++] = each.getKey();
            texts[at++] = each.getValue();
        }
        return new FewTexts(texts);
    }

    @Override
    public int size() {
        return texts.length / 2;
    }

    private int indexOf(@Nullable Object key) {
        for (int i = 0; i < texts.length; i += 2) {
            if (Objects.equals(texts[i], key)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public @Nullable String get(@Nullable Object key) {
        int index = indexOf(key);
        return index < 0 ? null : texts[index + 1];
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return indexOf(key) >= 0;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (other instanceof FewTexts few && texts.length == few.texts.length) {
            int same = 0;
            while (same < texts.length && Objects.equals(texts[same], few.texts[same])) {
                same++;
            }
            if (same == texts.length) {
                return true;
            }
        }
        // Maps in another order are equal too.
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        int hash = 0;
        for (int i = 0; i < texts.length; i += 2) {
            hash += Objects.hashCode(texts[i]) ^ Objects.hashCode(texts[i + 1]);
        }
        return hash;
    }

    @Override
    public Set<Entry<String, String>> entrySet() {
        return new Entries();
    }

    private final class Entries extends AbstractSet<Entry<String, String>> {

        @Override
        public int size() {
            return FewTexts.this.size();
        }

        @Override
        public Iterator<Entry<String, String>> iterator() {
            return new EntryIterator();
        }
    }

    private final class EntryIterator implements Iterator<Entry<String, String>> {

        private int next;

        @Override
        public boolean hasNext() {
            return next < texts.length;
        }

        @Override
        public Entry<String, String> next() {
            if (next >= texts.length) {
                throw new NoSuchElementException();
            }
            int at = next;
            next = at + 2;
            return new SimpleImmutableEntry<>(texts[at], texts[at + 1]);
        }
    }
}
