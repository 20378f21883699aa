package io.cairn.server.config.transfer;

import java.util.Set;

/**
 * Names of the entries of an archive: {@code group/dataId}. A part that is {@code .} or {@code ..} stands in it as
 * {@code %2E} or {@code %2E%2E}, for programs that unpack the archive take it for a folder; no other name can be like this,
 * because names of configurations hold no percent sign.
 */
final class EntryName {

    private static final String DOT = "%2E";
    private static final Set<String> FILES_OF_SYSTEMS = Set.of(".DS_Store", "Thumbs.db", "desktop.ini");

    private EntryName() {}

    /** The entry of a configuration. */
    static String of(String group, String dataId) {
        return safe(group) + '/' + safe(dataId);
    }

    private static String safe(String part) {
        return part.equals(".") || part.equals("..") ? DOT.repeat(part.length()) : part;
    }

    /** A part of a name as it was before {@link #of}. */
    static String original(String part) {
        return part.equals(DOT) ? "." : part.equals(DOT + DOT) ? ".." : part;
    }

    /** A name with slashes between its parts, as some programs do not write them, and without a slash or {@code ./} in front. */
    static String normalized(String name) {
        String normalized = name.replace('\\', '/');
        int start = 0;
        while (normalized.startsWith("./", start) || normalized.startsWith("/", start)) {
            start += normalized.charAt(start) == '/' ? 1 : 2;
        }
        return normalized.substring(start);
    }

    /** Whether operating systems and tools write such a file into archives by themselves. */
    static boolean isOfSystem(String normalized) {
        return normalized.startsWith("__MACOSX/")
                || normalized.equals("META-INF/MANIFEST.MF")
                || FILES_OF_SYSTEMS.contains(normalized.substring(normalized.lastIndexOf('/') + 1));
    }

    /** Whether a program that unpacks the archive would leave its folder. */
    static boolean climbs(String normalized) {
        if (normalized.indexOf('\0') >= 0) {
            return true;
        }
        for (String part : normalized.split("/", -1)) {
            if (part.equals("..") || part.equals(".")) {
                return true;
            }
        }
        return false;
    }
}
