package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.namespace.NamespaceStore;
import io.cairn.server.namespace.StoredNamespace;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Namespaces in the table of Nacos. Thread-safe. */
public final class JdbcNamespaceStore implements NamespaceStore {

    private static final String SELECT =
            "SELECT tenant_id, tenant_name, tenant_desc FROM tenant_info WHERE kp = '" + NamespaceCommand.KP + "'";

    private final StoreWriter writer;
    private final ReadConnections readers;

    public JdbcNamespaceStore(StoreWriter writer, ReadConnections readers) {
        this.writer = writer;
        this.readers = readers;
    }

    @Override
    public List<StoredNamespace> created() {
        return readers.withMirror("reading the namespaces", connection -> {
            List<StoredNamespace> created = new ArrayList<>();
            try (PreparedStatement statement =
                            connection.prepareStatement(SELECT + " ORDER BY tenant_name, tenant_id");
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    StoredNamespace namespace = namespace(rows);
                    if (!namespace.namespace().isDefault()) {
                        created.add(namespace);
                    }
                }
            }
            return created;
        });
    }

    @Override
    public Optional<StoredNamespace> find(Namespace namespace) {
        return readers.withMirror("reading namespace " + namespace, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(SELECT + " AND tenant_id = ?")) {
                statement.setString(1, namespace.id());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(namespace(rows)) : Optional.empty();
                }
            }
        });
    }

    private static StoredNamespace namespace(ResultSet rows) throws SQLException {
        return new StoredNamespace(
                Namespace.ofNullable(rows.getString(1)), text(rows.getString(2)), text(rows.getString(3)));
    }

    @Override
    public CompletionStage<Boolean> create(StoredNamespace namespace, Caller by) {
        return writer.submit(NamespaceCommand.create(namespace, by));
    }

    @Override
    public CompletionStage<Boolean> edit(StoredNamespace namespace, Caller by) {
        return writer.submit(NamespaceCommand.edit(namespace, by));
    }

    @Override
    public CompletionStage<Boolean> delete(Namespace namespace, Caller by) {
        return writer.submit(NamespaceCommand.delete(namespace, by));
    }

    private static String text(@Nullable String column) {
        return column == null ? "" : column;
    }
}
