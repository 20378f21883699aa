package io.cairn.server.rpc.naming;

import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.fuzzy.FuzzyWatchRequest;
import io.cairn.api.wire.fuzzy.FuzzyWire;
import io.cairn.api.wire.naming.BatchInstanceRequest;
import io.cairn.api.wire.naming.InstanceRequest;
import io.cairn.api.wire.naming.ServiceListRequest;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.api.wire.naming.ServiceQueryRequest;
import io.cairn.api.wire.naming.SubscribeServiceRequest;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.rpc.MessageRule;
import java.util.Map;
import java.util.function.Function;

/** What each message about services needs. Bodies are read as their handlers read them. */
public final class NamingMessageAccess {

    private NamingMessageAccess() {}

    public static Map<String, MessageRule> rules() {
        return Map.of(
                MessageCatalog.INSTANCE_REQUEST,
                rule(Action.WRITE, InstanceRequest::read, InstanceRequest::service),
                MessageCatalog.PERSISTENT_INSTANCE_REQUEST,
                rule(Action.WRITE, InstanceRequest::read, InstanceRequest::service),
                MessageCatalog.BATCH_INSTANCE_REQUEST,
                rule(Action.WRITE, BatchInstanceRequest::read, BatchInstanceRequest::service),
                MessageCatalog.SERVICE_QUERY_REQUEST,
                rule(Action.READ, ServiceQueryRequest::read, ServiceQueryRequest::service),
                MessageCatalog.SUBSCRIBE_SERVICE_REQUEST,
                rule(Action.READ, SubscribeServiceRequest::read, SubscribeServiceRequest::service),
                MessageCatalog.SERVICE_LIST_REQUEST,
                (policy, who, message) -> {
                    Denial unknown = policy.checkKnown(who);
                    if (unknown != null) {
                        return unknown;
                    }
                    ServiceKey group = NamingRequests.anyOf(
                            JsonInput.read(message, ServiceListRequest::read).service());
                    return policy.checkEnter(who, Action.READ, group.namespace(), ResourceType.NAMING);
                },
                MessageCatalog.NAMING_FUZZY_WATCH_REQUEST,
                (policy, who, message) -> {
                    Denial unknown = policy.checkKnown(who);
                    if (unknown != null) {
                        return unknown;
                    }
                    FuzzyPattern pattern = FuzzyWire.pattern(
                            JsonInput.read(message, FuzzyWatchRequest::read).pattern());
                    // What may not be read is left out where it is found.
                    return policy.checkEnter(who, Action.READ, pattern.namespace(), ResourceType.NAMING);
                });
    }

    private static <T> MessageRule rule(Action action, Function<JsonInput, T> reader, Function<T, ServiceName> name) {
        return (policy, who, message) -> {
            Denial unknown = policy.checkKnown(who);
            if (unknown != null) {
                return unknown;
            }
            ServiceKey service = NamingRequests.service(name.apply(JsonInput.read(message, reader)));
            return policy.check(who, action, service.namespace(), service.group(), ResourceType.NAMING, service.name());
        };
    }
}
