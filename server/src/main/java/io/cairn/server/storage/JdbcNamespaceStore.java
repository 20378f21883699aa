package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.server.namespace.NamespaceInfo;
import io.cairn.server.namespace.NamespaceStore;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Namespaces in the table {@code tenant_info}. Thread-safe. */
public final class JdbcNamespaceStore implements NamespaceStore {

    private final ReadConnections readers;

    public JdbcNamespaceStore(ReadConnections readers) {
        this.readers = readers;
    }

    @Override
    public List<NamespaceInfo> created() {
        return readers.with("reading the namespaces", connection -> {
            List<NamespaceInfo> created = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement("SELECT tenant_id, tenant_name, tenant_desc"
                            + " FROM tenant_info WHERE kp = '1' ORDER BY tenant_name, tenant_id");
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Namespace namespace = Namespace.ofNullable(rows.getString(1));
                    if (!namespace.isDefault()) {
                        created.add(new NamespaceInfo(namespace, text(rows.getString(2)), text(rows.getString(3)), 0));
                    }
                }
            }
            return created;
        });
    }

    private static String text(@Nullable String column) {
        return column == null ? "" : column;
    }
}
