package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import org.jspecify.annotations.Nullable;

/** Releases for some clients only. This version knows the wish when it sees it, and refuses it. */
public final class GrayRelease {

    private static final int MAX_TAG = 16;

    private GrayRelease() {}

    /**
     * Refuses a publish for some clients only, rather than to store its content for all.
     *
     * @param betaIps addresses of the clients meant, comma separated
     * @param tag label of the clients meant
     * @throws CairnException {@code UNSUPPORTED}, or {@code INVALID_PARAMETER} for a malformed tag
     */
    public static void refuse(@Nullable String betaIps, @Nullable String tag) {
        if (tag != null && !tag.isBlank()) {
            for (int i = 0; i < tag.length(); i++) {
                char c = tag.charAt(i);
                if (!Character.isLetterOrDigit(c) && "_-.:".indexOf(c) < 0) {
                    throw new CairnException(ErrorCode.INVALID_PARAMETER, "invalid tag : " + tag);
                }
            }
            if (tag.length() > MAX_TAG) {
                throw new CairnException(ErrorCode.INVALID_PARAMETER, "too long tag, over " + MAX_TAG);
            }
            throw new CairnException(
                    ErrorCode.UNSUPPORTED,
                    "tag: '" + tag + "': this version has no gray releases yet; nothing was stored");
        }
        if (betaIps != null && !betaIps.isBlank()) {
            throw new CairnException(
                    ErrorCode.UNSUPPORTED,
                    "betaIps: '" + betaIps + "': this version has no beta releases yet; nothing was stored");
        }
    }
}
