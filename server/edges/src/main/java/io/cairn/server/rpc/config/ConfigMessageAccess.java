package io.cairn.server.rpc.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.config.ConfigBatchListenRequest;
import io.cairn.api.wire.config.ConfigPublishRequest;
import io.cairn.api.wire.config.ConfigQueryRequest;
import io.cairn.api.wire.config.ConfigRemoveRequest;
import io.cairn.api.wire.fuzzy.FuzzyWatchRequest;
import io.cairn.api.wire.fuzzy.FuzzyWire;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.rpc.MessageRule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each message about configurations needs. Bodies are read as their handlers read them. */
public final class ConfigMessageAccess {

    private ConfigMessageAccess() {}

    public static Map<String, MessageRule> rules() {
        return Map.of(
                MessageCatalog.CONFIG_QUERY_REQUEST,
                        (policy, who, message) -> {
                            ConfigQueryRequest request = JsonInput.read(message, ConfigQueryRequest::read);
                            return check(policy, who, Action.READ, request.dataId(), request.group(), request.tenant());
                        },
                MessageCatalog.CONFIG_PUBLISH_REQUEST,
                        (policy, who, message) -> {
                            ConfigPublishRequest request = JsonInput.read(message, ConfigPublishRequest::read);
                            return check(
                                    policy, who, Action.WRITE, request.dataId(), request.group(), request.tenant());
                        },
                MessageCatalog.CONFIG_REMOVE_REQUEST,
                        (policy, who, message) -> {
                            ConfigRemoveRequest request = JsonInput.read(message, ConfigRemoveRequest::read);
                            return check(
                                    policy, who, Action.WRITE, request.dataId(), request.group(), request.tenant());
                        },
                MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST, ConfigMessageAccess::listen,
                MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST, ConfigMessageAccess::watch);
    }

    private static @Nullable Denial check(
            AccessPolicy policy,
            Identity who,
            Action action,
            @Nullable String dataId,
            @Nullable String group,
            @Nullable String tenant) {
        Denial unknown = policy.checkKnown(who);
        if (unknown != null) {
            // Whoever is not known is not told what is wrong with his request.
            return unknown;
        }
        ConfigKey key = ConfigWire.key(dataId, group, tenant);
        return policy.check(who, action, key.namespace(), key.group(), ResourceType.CONFIG, key.dataId());
    }

    /** Whoever may read none of them is refused; otherwise the handler leaves out what he may not. */
    private static @Nullable Denial listen(AccessPolicy policy, Identity who, Payload message) {
        Denial denial = policy.checkKnown(who);
        if (denial != null) {
            return denial;
        }
        for (ConfigBatchListenRequest.Listened row :
                JsonInput.read(message, ConfigBatchListenRequest::read).contexts()) {
            denial = check(policy, who, Action.READ, row.dataId(), row.group(), row.tenant());
            if (denial == null) {
                return null;
            }
        }
        return denial;
    }

    /** Of what a pattern matches, that which may not be read is left out where it is found. */
    private static @Nullable Denial watch(AccessPolicy policy, Identity who, Payload message) {
        Denial unknown = policy.checkKnown(who);
        if (unknown != null) {
            return unknown;
        }
        FuzzyPattern pattern = FuzzyWire.pattern(
                JsonInput.read(message, FuzzyWatchRequest::read).pattern());
        return policy.checkEnter(who, Action.READ, pattern.namespace(), ResourceType.CONFIG);
    }
}
