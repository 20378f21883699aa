package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.storage.database.SchemaVersion;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.row.ConfigEntries;
import io.cairn.server.storage.row.GrayRow;
import io.cairn.server.storage.row.HistoryRow;
import io.cairn.server.storage.writer.Columns;
import io.cairn.server.storage.writer.RowInsert;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Inserts or updates one gray release with history and change rows; the content for all stays. */
public final class PublishGrayCommand implements StoreCommand<PublishResult> {

    /** @param id 0 until assigned */
    record Release(
            PublishConfig command,
            GrayRule rule,
            long id,
            @Nullable String appName) {}

    private static final Columns<Release> OF_EACH_PUBLISH = new Columns<Release>()
            .text("gray_rule", release -> release.rule().toJson())
            .text("content", release -> new String(release.command().utf8(), StandardCharsets.UTF_8))
            .text("md5", release -> release.command().digest().toString())
            .text("src_user", release -> release.command().by().user())
            .text("src_ip", release -> release.command().by().address())
            .text("app_name", Release::appName)
            .text(
                    "encrypted_data_key",
                    release -> release.command().attributes().encryptedDataKey())
            .now("gmt_modified");
    private static final Columns<Release> OF_THE_FIRST_PUBLISH = new Columns<Release>()
            .now("gmt_create")
            .key(release -> release.command().key())
            .text("gray_name", release -> release.rule().name());
    private static final Columns<Release> ID = new Columns<Release>().number("id", Release::id);

    /** By table. */
    public static final Map<String, RowInsert<Release>> INSERTS = TableNames.GRAYS.stream()
            .collect(Collectors.toUnmodifiableMap(
                    table -> table, table -> new RowInsert<>(table, OF_EACH_PUBLISH.and(OF_THE_FIRST_PUBLISH))));

    private static final String SET = " SET " + OF_EACH_PUBLISH.each(name -> name + " = ?") + " WHERE id = ?";
    private static final Columns<Release> UPDATED = OF_EACH_PUBLISH.and(ID);

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
        HistoryRow.of(row, HistoryRow.UPDATE, command.by()).copy(transaction);
        if (row.table().equals(TableNames.grayOf(rule))) {
            update(transaction, row);
        } else {
            // Another kind of rule: the release moves to the table of that kind.
            row.delete(transaction);
            insertRow(transaction, command.attributes().appNameAfter(row.appName()));
        }
        // The rule may have changed without the content; listeners must read it again.
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
        int releases = 0;
        for (String table : TableNames.GRAYS) {
            PreparedStatement count = transaction.prepared("SELECT COUNT(*) FROM " + table + ConfigEntries.OF_KEY);
            transaction.bindKey(count, 1, command.key());
            try (ResultSet rows = count.executeQuery()) {
                releases += rows.next() ? rows.getInt(1) : 0;
            }
        }
        return releases;
    }

    private void insert(WriteTransaction transaction) throws SQLException {
        ConfigKey key = command.key();
        insertRow(transaction, command.attributes().appNameAfter(""));
        GrayRow row = GrayRow.find(transaction, key, rule.name())
                .orElseThrow(() -> new SQLException(
                        "gray release " + rule.name() + " of " + key + " is gone right after it was inserted"));
        HistoryRow.of(row, HistoryRow.INSERT, command.by()).copy(transaction);
    }

    private void insertRow(WriteTransaction transaction, @Nullable String appName) throws SQLException {
        if (!rule.isKnownToNacos()) {
            transaction.prepared(SchemaVersion.HAS_LABEL_RELEASES).executeUpdate();
        }
        transaction.insert(
                Objects.requireNonNull(INSERTS.get(TableNames.grayOf(rule))), new Release(command, rule, 0, appName));
    }

    private void update(WriteTransaction transaction, GrayRow row) throws SQLException {
        PreparedStatement update = transaction.prepared("UPDATE " + row.table() + SET);
        String appName = command.attributes().appNameAfter(row.appName());
        UPDATED.bind(update, 1, new Release(command, rule, row.id(), appName), transaction);
        update.executeUpdate();
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
