package io.cairn.server.rpc.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.fuzzy.FuzzyWatchRequest;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.fuzzy.FuzzyWatchHandler;
import io.cairn.server.subscription.fuzzy.FuzzyWatches;
import java.util.concurrent.Executor;

public final class ServiceFuzzyWatch {

    private ServiceFuzzyWatch() {}

    /** @param searches runs the first watch of a pattern, which searches all names */
    public static MessageHandler<FuzzyWatchRequest> handler(FuzzyWatches<ServiceKey> watches, Executor searches) {
        return new FuzzyWatchHandler(
                MessageCatalog.NAMING_FUZZY_WATCH_REQUEST,
                MessageCatalog.NAMING_FUZZY_WATCH_RESPONSE,
                ResourceType.NAMING,
                watches,
                searches,
                failure -> NamingRequests.refused(MessageCatalog.NAMING_FUZZY_WATCH_RESPONSE, failure, null));
    }
}
