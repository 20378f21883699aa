package io.cairn.server.http.events;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.ResourceType;
import java.nio.charset.StandardCharsets;

/** An event. Events of the same thing are equal, so a slow reader gets one. */
sealed interface LiveEvent {

    record ConfigEvent(ConfigKey key) implements LiveEvent {
        @Override
        public boolean isFor(Namespace namespace) {
            return key.namespace().equals(namespace);
        }

        @Override
        public boolean mayBeSeen(AccessPolicy policy, Identity who) {
            return mayRead(policy, who, key);
        }

        @Override
        public String text() {
            return LiveEvent.text("config", key);
        }
    }

    /** A listener of a configuration came, left or has another version. */
    record ListenersEvent(ConfigKey key) implements LiveEvent {
        @Override
        public boolean isFor(Namespace namespace) {
            return key.namespace().equals(namespace);
        }

        @Override
        public boolean mayBeSeen(AccessPolicy policy, Identity who) {
            return mayRead(policy, who, key);
        }

        @Override
        public String text() {
            return LiveEvent.text("listeners", key);
        }
    }

    record ServiceEvent(ServiceKey key) implements LiveEvent {
        @Override
        public boolean isFor(Namespace namespace) {
            return key.namespace().equals(namespace);
        }

        @Override
        public boolean mayBeSeen(AccessPolicy policy, Identity who) {
            return policy.check(who, Action.READ, key.namespace(), key.group(), ResourceType.NAMING, key.name())
                    == null;
        }

        @Override
        public String text() {
            return LiveEvent.text(
                    "service",
                    new JsonOutput(96)
                            .text("namespaceId", key.namespace().id())
                            .text("groupName", key.group())
                            .text("serviceName", key.name()));
        }
    }

    record ConnectionsEvent() implements LiveEvent {
        @Override
        public boolean isFor(Namespace namespace) {
            return true;
        }

        @Override
        public boolean mayBeSeen(AccessPolicy policy, Identity who) {
            return policy.checkAdmin(who) == null;
        }

        @Override
        public String text() {
            return LiveEvent.text("connections", new JsonOutput(8));
        }
    }

    /** Also true for events of no namespace. */
    boolean isFor(Namespace namespace);

    boolean mayBeSeen(AccessPolicy policy, Identity who);

    /** As a server-sent event. */
    String text();

    static String text(String name, JsonOutput data) {
        return "event: " + name + "\ndata: " + new String(data.toBytes(), StandardCharsets.UTF_8) + "\n\n";
    }

    private static String text(String name, ConfigKey key) {
        return text(
                name,
                new JsonOutput(96)
                        .text("namespaceId", key.namespace().id())
                        .text("groupName", key.group())
                        .text("dataId", key.dataId()));
    }

    private static boolean mayRead(AccessPolicy policy, Identity who, ConfigKey key) {
        return policy.check(who, Action.READ, key.namespace(), key.group(), ResourceType.CONFIG, key.dataId()) == null;
    }
}
