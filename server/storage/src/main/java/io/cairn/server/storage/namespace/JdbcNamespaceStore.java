package io.cairn.server.storage.namespace;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.namespace.NamespaceStore;
import io.cairn.server.namespace.StoredNamespace;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.writer.StoreWriter;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

public final class JdbcNamespaceStore implements NamespaceStore {

    static final String TABLE = "tenant_info";
    private static final String SELECT =
            "SELECT tenant_id, tenant_name, tenant_desc, id FROM tenant_info WHERE kp = '" + NamespaceCommand.KP + "'";

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
            LeftOutRows.Reading reading = readers.leftOut().some(TABLE);
            try (PreparedStatement statement = connection.prepareStatement(SELECT);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reading.read(rows, JdbcNamespaceStore::namespace, 4)
                            .filter(namespace -> !namespace.namespace().isDefault())
                            .ifPresent(created::add);
                }
            }
            // Databases sort a table of another program by rules of their own.
            created.sort(Comparator.comparing(StoredNamespace::name)
                    .thenComparing(namespace -> namespace.namespace().id()));
            return created;
        });
    }

    @Override
    public Optional<StoredNamespace> find(Namespace namespace) {
        return readers.withMirror("reading namespace " + namespace, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(SELECT + " AND tenant_id = ?")) {
                statement.setString(1, namespace.id());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next()
                            ? readers.leftOut().some(TABLE).read(rows, JdbcNamespaceStore::namespace, 4)
                            : Optional.empty();
                }
            }
        });
    }

    private static StoredNamespace namespace(ResultSet rows) throws SQLException {
        return new StoredNamespace(
                RowRules.namespace(rows.getString(1)), text(rows.getString(2)), text(rows.getString(3)));
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
