package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.http.HttpRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads, publishes and deletes one configuration for whoever asks over HTTP. Thread-safe; nothing blocks. */
public final class ConfigActions {

    private final ConfigService configs;
    private final ValidatedPublishing publishing;

    public ConfigActions(ConfigService configs, ValidatedPublishing publishing) {
        this.configs = configs;
        this.publishing = publishing;
    }

    /**
     * The version that the sender gets; empty when there is none.
     *
     * @param tag the only release that is asked for; null for the one that the sender is meant to get
     */
    public CompletionStage<Optional<ConfigVersion>> read(HttpRequest request, ConfigKey key, @Nullable String tag) {
        boolean onlyGray = tag != null && !tag.isBlank();
        GrayRule.Client client =
                new GrayRule.Client(request.claimedIp(), onlyGray ? tag : request.header("Vipserver-Tag"));
        ConfigEntry entry = configs.find(key, client, onlyGray);
        if (entry == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        ConfigVersion version = configs.resident(entry);
        return version != null
                ? CompletableFuture.completedFuture(Optional.of(version))
                : configs.load(entry, () -> configs.find(key, client, onlyGray));
    }

    /** The version that clients without a release of their own get; empty when there is none. */
    public CompletionStage<Optional<ConfigVersion>> read(ConfigKey key) {
        ConfigEntry entry = configs.find(key);
        if (entry == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        ConfigVersion version = configs.resident(entry);
        return version != null
                ? CompletableFuture.completedFuture(Optional.of(version))
                : configs.load(entry, () -> configs.find(key));
    }

    /**
     * Publishes what the form says.
     *
     * @return fails with {@code CONFLICT} when another content is stored than expected
     */
    public CompletionStage<Void> publish(HttpRequest request, ConfigForm form) {
        PublishConfig command =
                ConfigForm.forSome(request, form.draft(request).check(configs.limits(), ConfigForm.by(request)));
        String kind = command.gray() == null ? "" : "gray config ";
        return publishing
                .publish(command, ConfigForm.validates(request))
                .thenAccept(result -> result.<@Nullable Void>fold(published -> null, conflict -> {
                    throw new CairnException(
                            ErrorCode.CONFLICT, "Cas publish " + kind + "fail, server md5 may have changed.");
                }));
    }

    /** Deletes what the form names: the configuration, or the release of a tag; false when it is not there. */
    public CompletionStage<Boolean> delete(HttpRequest request, ConfigForm form) {
        return remove(request, form.key(request), ConfigForm.grayName(request));
    }

    /** Ends the release by client address; false when there is none. */
    public CompletionStage<Boolean> stopBeta(HttpRequest request, ConfigForm form) {
        return remove(request, form.key(request), GrayRule.BETA);
    }

    private CompletionStage<Boolean> remove(HttpRequest request, ConfigKey key, @Nullable String grayName) {
        return configs.remove(new RemoveConfig(key, grayName, ConfigForm.by(request)))
                .thenApply(Optional::isPresent);
    }
}
