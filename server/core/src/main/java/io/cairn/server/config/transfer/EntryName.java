package io.cairn.server.config.transfer;

import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Names of the entries of an archive: {@code group/dataId}. A part that is {@code .} or {@code ..} stands in it as
 * {@code %2E} or {@code %2E%2E}, for programs that unpack the archive take it for a folder; no other name can be like this,
 * because names of configurations hold no percent sign.
 */
final class EntryName {

    private static final String DOT = "%2E";
    /** In lower case; systems spell them in several ways. */
    private static final Set<String> FILES_OF_SYSTEMS = Set.of(".ds_store", "thumbs.db", "ehthumbs.db", "desktop.ini");

    private static final Set<String> FOLDERS_OF_SYSTEMS = Set.of("__macosx", ".git", ".svn");
    private static final String MANIFEST = "meta-inf/manifest.mf";
    /** In front of the name of a file, where macOS puts its attributes beside it. */
    private static final String APPLE_DOUBLE = "._";

    private EntryName() {}

    /** The entry of a configuration. */
    static String of(String group, String dataId) {
        return safe(group) + '/' + safe(dataId);
    }

    private static String safe(String part) {
        return part.equals(".") || part.equals("..") ? DOT.repeat(part.length()) : part;
    }

    /** A name as it was before {@link #of}. */
    static String original(String name) {
        return Arrays.stream(name.split("/", -1))
                .map(part -> part.equals(DOT) ? "." : part.equals(DOT + DOT) ? ".." : part)
                .collect(Collectors.joining("/"));
    }

    /**
     * A name with one slash between its parts, as some programs do not write them, and without a slash or {@code ./} in
     * front.
     */
    static String normalized(String name) {
        String normalized = name.replace('\\', '/').replaceAll("/{2,}", "/");
        int start = 0;
        while (normalized.startsWith("./", start) || normalized.startsWith("/", start)) {
            start += normalized.charAt(start) == '/' ? 1 : 2;
        }
        return normalized.substring(start);
    }

    /** The path before the last part, with the slash; empty for a file at the top. */
    static String folder(String normalized) {
        return normalized.substring(0, normalized.lastIndexOf('/') + 1);
    }

    private static String last(String normalized) {
        return normalized.substring(normalized.lastIndexOf('/') + 1);
    }

    /** Whether it is named as the lists of configurations are. */
    static boolean isList(String normalized) {
        String last = last(normalized);
        return Arrays.stream(ArchiveLayout.values())
                .anyMatch(layout -> layout.entry().equals(last));
    }

    /** Whether operating systems and tools write such a file into archives by themselves. */
    static boolean isOfSystem(String normalized) {
        String name = normalized.toLowerCase(Locale.ROOT);
        String last = last(name);
        return FILES_OF_SYSTEMS.contains(last)
                || last.startsWith(APPLE_DOUBLE)
                || name.equals(MANIFEST)
                || name.endsWith('/' + MANIFEST)
                || Arrays.stream(folder(name).split("/")).anyMatch(FOLDERS_OF_SYSTEMS::contains);
    }

    /** Whether only a list that names it distinguishes a configuration from other files of that name. */
    static boolean needsList(String normalized) {
        return isOfSystem(normalized) || isList(normalized);
    }

    /** Why a path cannot be that of a configuration; null when it can. */
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
