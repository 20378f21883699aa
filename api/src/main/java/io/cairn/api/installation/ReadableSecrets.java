package io.cairn.api.installation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds files with secrets in the folder {@code conf} of an installation that every user of the machine can read. */
public final class ReadableSecrets {

    /** Larger files contain no settings. */
    private static final long MAX_BYTES = 1 << 20;

    private static final int DEPTH = 2;

    private static final Set<String> KEY_STORES = Set.of(".p12", ".pfx", ".jks", ".keystore");
    private static final String PRIVATE_KEY = "PRIVATE KEY-----";
    /** A setting in properties or YAML. */
    private static final Pattern SETTING = Pattern.compile("\\s*([\\w.\\[\\]-]+)\\s*[=:]\\s*(\\S.*)");

    private static final Pattern PASSWORD_IN_URL = Pattern.compile("[?&;](password|passwd|pwd)=[^&;\\s]");
    /** The password between nodes of Nacos. */
    private static final String IDENTITY = "server.identity.value";

    private ReadableSecrets() {}

    /**
     * Sorted by path; empty without the folder or without POSIX permissions. * @throws IOException when the folder cannot be listed
     */
    public static List<Path> in(Path conf) throws IOException {
        if (!Files.isDirectory(conf)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(conf, DEPTH)) {
            return files.filter(Files::isRegularFile)
                    .filter(ReadableSecrets::isReadableByOthers)
                    .filter(ReadableSecrets::holdsSecret)
                    .sorted()
                    .toList();
        }
    }

    private static boolean isReadableByOthers(Path file) {
        try {
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException | UnsupportedOperationException e) {
            // The file was just removed, or the file system has other permissions.
            return false;
        }
    }

    private static boolean holdsSecret(Path file) {
        String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
        if (KEY_STORES.stream().anyMatch(name::endsWith)) {
            return true;
        }
        try {
            if (Files.size(file) > MAX_BYTES) {
                return false;
            }
            String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
            return text.contains(PRIVATE_KEY) || text.lines().anyMatch(ReadableSecrets::isSecret);
        } catch (IOException e) {
            // This user cannot read the file.
            return false;
        }
    }

    /** Whether a line sets a secret, not a reference to one. */
    static boolean isSecret(String line) {
        String stripped = line.strip();
        if (stripped.startsWith("#") || stripped.startsWith("!")) {
            return false;
        }
        var setting = SETTING.matcher(stripped);
        if (!setting.matches()) {
            return false;
        }
        String name = setting.group(1).toLowerCase(Locale.ROOT);
        String value = setting.group(2).strip();
        if (PASSWORD_IN_URL.matcher(value).find()) {
            return true;
        }
        boolean isFlag = value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false");
        boolean isReference = value.startsWith("${") && value.endsWith("}") && value.indexOf(':') < 0;
        boolean isEmpty = value.equals("\"\"") || value.equals("''") || value.equals("${}");
        boolean isElsewhere = name.endsWith("file") || name.endsWith("path") || name.endsWith("location");
        return !isFlag
                && !isReference
                && !isEmpty
                && !isElsewhere
                && (name.contains("password") || name.contains("secret") || name.endsWith(IDENTITY));
    }
}
