package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Stores namespaces durably, with audit records of their changes. Thread-safe; writes complete and fail as those of
 * configurations do.
 */
public interface NamespaceStore {

    /** All namespaces that were created, by their names, the default one not among them. Blocks. */
    List<StoredNamespace> created();

    /** The created namespace of that id. Blocks. */
    Optional<StoredNamespace> find(Namespace namespace);

    /** Stores a new namespace; false when there is one of its id already. */
    CompletionStage<Boolean> create(StoredNamespace namespace, Caller by);

    /** Replaces name and description; false when there is no such namespace. */
    CompletionStage<Boolean> edit(StoredNamespace namespace, Caller by);

    /** Deletes the namespace, but nothing that it holds; false when there is no such namespace. */
    CompletionStage<Boolean> delete(Namespace namespace, Caller by);
}
