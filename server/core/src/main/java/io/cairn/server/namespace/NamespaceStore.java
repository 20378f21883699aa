package io.cairn.server.namespace;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Stores namespaces durably with audit records. Writes complete and fail as for configurations. */
public interface NamespaceStore {

    /** By name, without the default one. Blocks. */
    List<StoredNamespace> created();

    /** Blocks. */
    Optional<StoredNamespace> find(Namespace namespace);

    /** False if its id exists. */
    CompletionStage<Boolean> create(StoredNamespace namespace, Caller by);

    /** False if absent. */
    CompletionStage<Boolean> edit(StoredNamespace namespace, Caller by);

    /** Without its content; false if absent. */
    CompletionStage<Boolean> delete(Namespace namespace, Caller by);
}
