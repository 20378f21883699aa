package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import org.jspecify.annotations.Nullable;

/**
 * Nacos's check of names with its error texts, which clients and scripts compare.
 *
 * <p>Source: the parameter check of Nacos 2.5.
 */
public final class ParameterCheck {

    private static final int MAX_DATA_ID = 256;
    /** A character less than Nacos's check allows, for the tables. */
    private static final int MAX_STORED_DATA_ID = 255;

    private static final int MAX_GROUP = 128;
    private static final int MAX_NAMESPACE = 64;

    private ParameterCheck() {}

    /** @throws CairnException {@code INVALID_PARAMETER} for a name with illegal characters or length */
    public static void config(@Nullable String dataId, @Nullable String group, @Nullable String tenant) {
        namespace(tenant);
        name("dataId", dataId, MAX_DATA_ID);
        name("group", group, MAX_GROUP);
    }

    /**
     * The limit is the same on all databases; an embedded one may have longer names from an earlier release, which can be read and
     * removed.
     *
     * @throws CairnException {@code INVALID_PARAMETER} if it is too long
     */
    public static void toBeStored(String dataId) {
        if (dataId.length() > MAX_STORED_DATA_ID) {
            throw tooLong("dataId", MAX_STORED_DATA_ID);
        }
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for an illegal namespace */
    public static void namespace(@Nullable String tenant) {
        if (tenant == null || tenant.isEmpty()) {
            return;
        }
        if (tenant.length() > MAX_NAMESPACE) {
            throw tooLong("namespaceId/tenant", MAX_NAMESPACE);
        }
        for (int i = 0; i < tenant.length(); i++) {
            char c = tenant.charAt(i);
            if (!isWord(c) && c != '-') {
                throw illegal("namespaceId/tenant");
            }
        }
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for a group with illegal characters or length */
    public static void group(@Nullable String group) {
        name("group", group, MAX_GROUP);
    }

    private static void name(String parameter, @Nullable String value, int maxLength) {
        if (value == null) {
            return;
        }
        if (value.length() > maxLength) {
            throw tooLong(parameter, maxLength);
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (!isWord(c) && c != '-' && c != ':' && c != '.') {
                throw illegal(parameter);
            }
        }
    }

    private static boolean isWord(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }

    private static CairnException illegal(String parameter) {
        return ParameterException.refused(parameter, "illegal characters should not appear in the param.");
    }

    private static CairnException tooLong(String parameter, int maxLength) {
        return ParameterException.refused(parameter, "the param length should not exceed " + maxLength + ".");
    }
}
