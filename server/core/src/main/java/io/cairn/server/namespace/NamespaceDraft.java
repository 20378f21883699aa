package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The unchecked values of a namespace to create or edit.
 *
 * @param id blank or null for a generated one
 */
public record NamespaceDraft(
        @Nullable String id,
        @Nullable String name,
        @Nullable String description) {

    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]+");
    private static final Pattern NAME = Pattern.compile("[^@#$%^&*]+");
    private static final int MAX_ID = 128;
    private static final int MAX_NAME = 128;
    private static final int MAX_DESCRIPTION = 256;

    /** @throws CairnException {@code INVALID_PARAMETER} with the invalid value and Nacos's text */
    public StoredNamespace check() {
        String checkedId = id == null || id.isBlank() ? UUID.randomUUID().toString() : id.trim();
        if (!ID.matcher(checkedId).matches()) {
            throw invalid("namespaceId [" + checkedId + "] mismatch the pattern");
        }
        if (checkedId.length() > MAX_ID) {
            throw invalid("too long namespaceId, over " + MAX_ID);
        }
        if (name == null || name.isBlank()) {
            throw ParameterException.missing("namespaceName");
        }
        if (!isLegalName(name)) {
            throw invalid("namespaceName [" + name + "] contains illegal char");
        }
        if (name.length() > MAX_NAME) {
            throw invalid("too long namespaceName, over " + MAX_NAME);
        }
        String checkedDescription = description == null ? "" : description;
        if (checkedDescription.length() > MAX_DESCRIPTION) {
            throw invalid("too long namespaceDesc, over " + MAX_DESCRIPTION);
        }
        return new StoredNamespace(Namespace.ofNullable(checkedId), name, checkedDescription);
    }

    public static boolean isLegalName(String name) {
        return NAME.matcher(name).matches();
    }

    private static CairnException invalid(String message) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, message);
    }
}
