package io.cairn.server.http.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.gray.GrayClient;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Parameter;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads, publishes and deletes one configuration, in all versions. Does not block. */
public final class ConfigActions {

    /** The tag of the client. */
    public static final Parameter<String> CLIENT_TAG =
            Parameter.header("Vipserver-Tag", "The tag of the client, by which it gets the content of a release");

    private final ConfigService configs;
    private final ValidatedPublishing publishing;
    private final ReleaseKinds kinds;

    public ConfigActions(ConfigService configs, ValidatedPublishing publishing, ReleaseKinds kinds) {
        this.configs = configs;
        this.publishing = publishing;
        this.kinds = kinds;
    }

    /**
     * The responses of one version to a read.
     *
     * @param isShared whether all readers share the response; else the request counts its memory
     */
    public record Reading(
            Function<ConfigVersion, HttpResponse> found, boolean isShared, CompletionStage<HttpResponse> absent) {

        public Reading(Function<ConfigVersion, HttpResponse> found, boolean isShared, HttpResponse absent) {
            this(found, isShared, CompletableFuture.completedFuture(absent));
        }

        private CompletionStage<HttpResponse> answer(ConfigVersion version, HttpRequest http) {
            if (!isShared && version.length() > MemoryBudget.SMALL_BYTES) {
                http.lease().reserveContent(version.length());
            }
            return CompletableFuture.completedFuture(found.apply(version));
        }
    }

    /** Reads the version for the client; with {@code tag}, only the release of that tag. */
    public CompletionStage<HttpResponse> read(ConfigKey key, HttpRequest http, Reading reading) {
        String tag = ConfigForm.TAG.orNull(http);
        boolean onlyGray = tag != null;
        GrayClient client = client(http, tag);
        ConfigEntry entry = configs.find(key, client, onlyGray);
        if (entry == null) {
            return reading.absent;
        }
        ConfigVersion version = configs.resident(entry);
        if (version != null) {
            return reading.answer(version, http);
        }
        return configs.load(entry, () -> configs.find(key, client, onlyGray))
                .thenCompose(loaded ->
                        loaded.map(found -> reading.answer(found, http)).orElse(reading.absent));
    }

    /**
     * The client as gray releases see it.
     *
     * @param tag the requested release; null for the client's own
     */
    public static GrayClient client(HttpRequest http, @Nullable String tag) {
        return new GrayClient(http.claimedIp(), tag != null ? tag : CLIENT_TAG.orNull(http));
    }

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

    /** @return fails with {@code CONFLICT} when the stored content is not the expected one */
    public CompletionStage<Void> publish(PublishRequest request, HttpRequest http) {
        PublishConfig checked = request.draft().check(configs.limits(), ConfigForm.by(http, request.user()));
        NamedRelease release = request.release();
        if (release == null) {
            return publish(checked, request.validate(), http);
        }
        GrayRule rule = release.rule();
        return kinds.check(rule).thenCompose(known -> publish(checked.forClientsOf(rule), request.validate(), http));
    }

    private CompletionStage<Void> publish(PublishConfig command, boolean validates, HttpRequest http) {
        return publishing
                .publish(command, validates)
                .thenAccept(result ->
                        http.stored(result.fold(published -> published.change().revision(), conflict -> {
                            throw new CairnException(
                                    ErrorCode.CONFLICT, PublishResult.Conflict.text(command.gray() != null));
                        })));
    }

    /** Deletes the configuration or release; false when it is absent. */
    public CompletionStage<Boolean> remove(RemoveRequest request, HttpRequest http) {
        return configs.remove(new RemoveConfig(request.key(), request.grayName(), ConfigForm.by(http, request.user())))
                .thenApply(removed -> {
                    removed.ifPresent(change -> http.stored(change.revision()));
                    return removed.isPresent();
                });
    }
}
