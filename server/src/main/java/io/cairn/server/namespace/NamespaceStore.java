package io.cairn.server.namespace;

import java.util.List;

/** Where namespaces are durable. Thread-safe. */
public interface NamespaceStore {

    /** All namespaces that were created, by their names, the default one not among them, without counts. Blocks. */
    List<NamespaceInfo> created();
}
