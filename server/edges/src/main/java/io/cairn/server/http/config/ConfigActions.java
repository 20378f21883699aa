package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads, publishes and deletes one configuration for a request of any version. Thread-safe; nothing blocks. */
public final class ConfigActions {

    private final ConfigService configs;
    private final ValidatedPublishing publishing;

    public ConfigActions(ConfigService configs, ValidatedPublishing publishing) {
        this.configs = configs;
        this.publishing = publishing;
    }

    /**
     * The responses of one version to the read of a content.
     *
     * @param found for a content that is there
     * @param absent for one that is not
     */
    public record Reading(Function<ConfigVersion, HttpResponse> found, CompletionStage<HttpResponse> absent) {

        public Reading(Function<ConfigVersion, HttpResponse> found, HttpResponse absent) {
            this(found, CompletableFuture.completedFuture(absent));
        }

        private CompletionStage<HttpResponse> answer(ConfigVersion version) {
            return CompletableFuture.completedFuture(found.apply(version));
        }
    }

    /** Reads the version that the client gets; with {@code tag}, only the release for that tag. */
    public CompletionStage<HttpResponse> read(ConfigKey key, HttpRequest http, Reading reading) {
        String tag = http.parameter("tag");
        boolean onlyGray = tag != null && !tag.isBlank();
        GrayRule.Client client = client(http, onlyGray ? tag : null);
        ConfigEntry entry = configs.find(key, client, onlyGray);
        if (entry == null) {
            return reading.absent;
        }
        ConfigVersion version = configs.resident(entry);
        if (version != null) {
            return reading.answer(version);
        }
        return configs.load(entry, () -> configs.find(key, client, onlyGray))
                .thenCompose(loaded -> loaded.map(reading::answer).orElse(reading.absent));
    }

    /**
     * The client of a request, as gray releases tell clients apart.
     *
     * @param tag the tag of the release that it asks for; null for the one that it is meant to get
     */
    public static GrayRule.Client client(HttpRequest http, @Nullable String tag) {
        return new GrayRule.Client(http.claimedIp(), tag != null ? tag : http.header("Vipserver-Tag"));
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
     * Publishes what the request says.
     *
     * @return fails with {@code CONFLICT} when another content is stored than expected
     */
    public CompletionStage<Void> publish(PublishRequest request, HttpRequest http) {
        PublishConfig checked = request.draft().check(configs.limits(), ConfigForm.by(http, request.user()));
        NamedRelease release = request.release();
        PublishConfig command = release == null ? checked : checked.forClientsOf(release.rule());
        return publishing
                .publish(command, request.validate())
                .thenAccept(result ->
                        http.stored(result.fold(published -> published.change().revision(), conflict -> {
                            throw new CairnException(
                                    ErrorCode.CONFLICT, PublishResult.Conflict.text(command.gray() != null));
                        })));
    }

    /** Deletes the configuration or the release that the request names; false when it is not there. */
    public CompletionStage<Boolean> remove(RemoveRequest request, HttpRequest http) {
        return configs.remove(new RemoveConfig(request.key(), request.grayName(), ConfigForm.by(http, request.user())))
                .thenApply(removed -> {
                    removed.ifPresent(change -> http.stored(change.revision()));
                    return removed.isPresent();
                });
    }
}
