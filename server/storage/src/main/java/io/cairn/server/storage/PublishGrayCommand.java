package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Inserts or updates one gray release with its history and change rows; what all others get is not touched. */
final class PublishGrayCommand implements StoreCommand<PublishResult> {

    private static final String INSERT = "INSERT INTO config_info_gray (data_id, group_id, tenant_id, gray_name,"
            + " gray_rule, content, md5, src_user, src_ip, app_name, encrypted_data_key, gmt_modified, gmt_create)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String UPDATE = "UPDATE config_info_gray SET gray_rule = ?, content = ?, md5 = ?,"
            + " src_user = ?, src_ip = ?, app_name = COALESCE(?, app_name), encrypted_data_key = ?, gmt_modified = ?"
            + " WHERE id = ?";

    private final PublishConfig command;
    private final GrayRule rule;
    private final int maxReleases;
    private final CapacityCheck capacity;
    private final ConfigStore.CommitObserver observer;
    private long committedAtMillis;
    private ConfigType type = ConfigType.TEXT;

    PublishGrayCommand(
            PublishConfig command,
            GrayRule rule,
            int maxReleases,
            CapacityCheck capacity,
            ConfigStore.CommitObserver observer) {
        this.command = command;
        this.rule = rule;
        this.maxReleases = maxReleases;
        this.capacity = capacity;
        this.observer = observer;
    }

    @Override
    public PublishResult execute(WriteTransaction transaction) throws SQLException {
        committedAtMillis = transaction.storedMillis();
        type = typeOfConfig(transaction);
        Optional<PublishResult.OverCapacity> refusal =
                capacity.refusal(transaction, command.key(), command.utf8().length, false);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        Optional<GrayRow> stored = GrayRow.find(transaction, command.key(), rule.name());
        if (stored.isEmpty()) {
            if (countReleases(transaction) >= maxReleases) {
                return new PublishResult.TooManyReleases(maxReleases);
            }
            insert(transaction);
            return published(transaction, HistoryRow.INSERT, Optional.empty());
        }
        GrayRow row = stored.get();
        String expected = command.expectedMd5();
        if (expected != null && !row.digest().matches(expected)) {
            return new PublishResult.Conflict(Optional.of(row.digest()));
        }
        HistoryRow.copyGray(transaction, row.id(), HistoryRow.UPDATE, command.by(), row.rule());
        update(transaction, row.id());
        // Who is meant may have changed although the content has not; those who listen must then look again.
        return published(
                transaction, HistoryRow.UPDATE, row.rule().equals(rule) ? Optional.of(row.digest()) : Optional.empty());
    }

    private PublishResult published(WriteTransaction transaction, String operation, Optional<ContentDigest> before)
            throws SQLException {
        return new PublishResult.Published(ChangeRow.insert(
                transaction,
                command.key(),
                ChangeRow.GRAY,
                operation,
                before,
                Optional.of(command.digest()),
                command.by()));
    }

    private ConfigType typeOfConfig(WriteTransaction transaction) throws SQLException {
        PreparedStatement find = transaction.prepared(
                "SELECT type FROM config_info WHERE data_id = ? AND group_id = ? AND tenant_id = ?");
        transaction.bindKey(find, 1, command.key());
        try (ResultSet rows = find.executeQuery()) {
            return rows.next() ? ConfigType.ofWireName(rows.getString(1)) : ConfigType.TEXT;
        }
    }

    private int countReleases(WriteTransaction transaction) throws SQLException {
        PreparedStatement count = transaction.prepared(
                "SELECT COUNT(*) FROM config_info_gray WHERE data_id = ? AND group_id = ? AND tenant_id = ?");
        transaction.bindKey(count, 1, command.key());
        try (ResultSet rows = count.executeQuery()) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    private void insert(WriteTransaction transaction) throws SQLException {
        ConfigKey key = command.key();
        ConfigAttributes attributes = command.attributes();
        PreparedStatement insert = transaction.prepared(INSERT);
        int at = transaction.bindKey(insert, 1, key);
        insert.setString(at++, rule.name());
        insert.setString(at++, rule.toJson());
        insert.setString(at++, content());
        insert.setString(at++, command.digest().toString());
        insert.setString(at++, command.by().user());
        insert.setString(at++, command.by().address());
        insert.setString(at++, attributes.appName() == null ? "" : attributes.appName());
        insert.setString(at++, attributes.encryptedDataKey());
        transaction.bindNow(insert, at++);
        transaction.bindNow(insert, at);
        insert.executeUpdate();
        GrayRow row = GrayRow.find(transaction, key, rule.name())
                .orElseThrow(() -> new SQLException(
                        "gray release " + rule.name() + " of " + key + " is gone right after it was inserted"));
        HistoryRow.copyGray(transaction, row.id(), HistoryRow.INSERT, command.by(), rule);
    }

    private void update(WriteTransaction transaction, long id) throws SQLException {
        PreparedStatement update = transaction.prepared(UPDATE);
        int at = 1;
        update.setString(at++, rule.toJson());
        update.setString(at++, content());
        update.setString(at++, command.digest().toString());
        update.setString(at++, command.by().user());
        update.setString(at++, command.by().address());
        update.setString(at++, command.attributes().appName());
        update.setString(at++, command.attributes().encryptedDataKey());
        transaction.bindNow(update, at++);
        update.setLong(at, id);
        update.executeUpdate();
    }

    private String content() {
        return new String(command.utf8(), StandardCharsets.UTF_8);
    }

    @Override
    public void committed(PublishResult result) {
        if (result instanceof PublishResult.Published published) {
            ConfigChanged change = published.change();
            ConfigEntry entry = new ConfigEntry(
                    command.key(),
                    command.digest(),
                    type,
                    committedAtMillis,
                    command.attributes().encryptedDataKey(),
                    rule);
            observer.published(command, entry, change);
        }
    }

    @Override
    public void announce(PublishResult result) {
        if (result instanceof PublishResult.Published published) {
            observer.announce(published.change());
        }
    }

    @Override
    public int weightBytes() {
        return 512 + command.utf8().length;
    }
}
