package io.cairn.server.rpc.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.fuzzy.FuzzyWatchHandler;
import io.cairn.server.subscription.fuzzy.FuzzyWatches;

/** Watches of services by patterns, on the wire. */
public final class ServiceFuzzyWatch {

    private ServiceFuzzyWatch() {}

    /** The handler of their requests. */
    public static MessageHandler handler(FuzzyWatches<ServiceKey> watches) {
        return new FuzzyWatchHandler(
                MessageCatalog.NAMING_FUZZY_WATCH_REQUEST,
                MessageCatalog.NAMING_FUZZY_WATCH_RESPONSE,
                watches,
                failure -> NamingRequests.refused(MessageCatalog.NAMING_FUZZY_WATCH_RESPONSE, failure, null));
    }
}
