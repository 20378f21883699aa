package io.cairn.server.config.transfer;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Entry names of an archive: {@code group/dataId}. The parts {@code .} and {@code ..} become {@code %2E} and {@code %2E%2E},
 * because unpacking programs take them for folders; configurations have no percent sign in their names.
 */
final class EntryName {

    private static final String DOT = "%2E";
    /** In lower case; systems differ. */
    private static final Set<String> FILES_OF_SYSTEMS = Set.of(".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini");

    private static final Set<String> FOLDERS_OF_SYSTEMS = Set.of("__macosx", ".git", ".svn");
    private static final String MANIFEST = "meta-inf/manifest.mf";
    /** The prefix of macOS's files with attributes. */
    private static final String APPLE_DOUBLE = "._";

    private EntryName() {}

    static String of(String group, String dataId) {
        return safe(group) + '/' + safe(dataId);
    }

    private static String safe(String part) {
        return part.equals(".") || part.equals("..") ? DOT.repeat(part.length()) : part;
    }

    /** Reverses {@link #of}. */
    static String original(String name) {
        return Arrays.stream(name.split("/", -1))
                .map(part -> part.equals(DOT) ? "." : part.equals(DOT + DOT) ? ".." : part)
                .collect(Collectors.joining("/"));
    }

    /** With one slash between parts, and without a leading slash or {@code ./}. */
    static String normalized(String name) {
        String normalized = name.replace('\\', '/').replaceAll("/{2,}", "/");
        int start = 0;
        while (normalized.startsWith("./", start) || normalized.startsWith("/", start)) {
            start += normalized.charAt(start) == '/' ? 1 : 2;
        }
        return normalized.substring(start);
    }

    /** The path before the last part, with the slash; may be empty. */
    static String folder(String normalized) {
        return normalized.substring(0, normalized.lastIndexOf('/') + 1);
    }

    private static String last(String normalized) {
        return normalized.substring(normalized.lastIndexOf('/') + 1);
    }

    /** Whether it is the name of a list. */
    static boolean isList(String normalized) {
        String last = last(normalized);
        return Arrays.stream(ArchiveLayout.values())
                .anyMatch(layout -> layout.entry().equals(last));
    }

    /** Whether systems and tools add such files to archives. */
    static boolean isOfSystem(String normalized) {
        String name = normalized.toLowerCase(Locale.ROOT);
        String last = last(name);
        return FILES_OF_SYSTEMS.contains(last)
                || last.startsWith(APPLE_DOUBLE)
                || name.equals(MANIFEST)
                || name.endsWith('/' + MANIFEST)
                || Arrays.stream(folder(name).split("/")).anyMatch(FOLDERS_OF_SYSTEMS::contains);
    }

    /** Whether only a list distinguishes the configuration from another file of that name. */
    static boolean needsList(String normalized) {
        return isOfSystem(normalized) || isList(normalized);
    }

    /** Why a path is not that of a configuration, or null. */
    static @Nullable String pathFault(String normalized) {
        if (normalized.indexOf('\0') >= 0) {
            return UnrecognizedEntry.NUL;
        }
        boolean dots = false;
        int depth = 0;
        for (String part : normalized.split("/", -1)) {
            if (part.equals("..")) {
                dots = true;
                if (--depth < 0) {
                    return UnrecognizedEntry.CLIMBS;
                }
            } else if (part.equals(".")) {
                dots = true;
            } else {
                depth++;
            }
        }
        return dots ? UnrecognizedEntry.DOTS : null;
    }
}
