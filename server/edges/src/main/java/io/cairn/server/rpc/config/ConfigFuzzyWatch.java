package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.fuzzy.FuzzyWatchRequest;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.fuzzy.FuzzyWatchHandler;
import io.cairn.server.subscription.fuzzy.FuzzyWatches;
import java.util.concurrent.Executor;

public final class ConfigFuzzyWatch {

    private ConfigFuzzyWatch() {}

    /** @param searches runs the first watch of a pattern, which searches all names */
    public static MessageHandler<FuzzyWatchRequest> handler(FuzzyWatches<ConfigKey> watches, Executor searches) {
        return new FuzzyWatchHandler(
                MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST,
                MessageCatalog.CONFIG_FUZZY_WATCH_RESPONSE,
                ResourceType.CONFIG,
                watches,
                searches,
                failure -> WireResponse.failed(
                        MessageCatalog.CONFIG_FUZZY_WATCH_RESPONSE,
                        ConfigWire.errorCode(failure.code()),
                        failure.text(),
                        null));
    }
}
