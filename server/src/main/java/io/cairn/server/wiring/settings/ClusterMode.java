package io.cairn.server.wiring.settings;

import io.cairn.api.error.CairnException;
import io.cairn.server.cluster.HostResolver;
import io.cairn.server.cluster.StartCheck;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether this server is a node of a cluster: {@code nacos.standalone=false}, which {@code startup.sh -m cluster} sets. */
public final class ClusterMode {

    static final String STANDALONE = "nacos.standalone";
    private static final String PEER_TLS = "nacos.remote.peer.rpc.tls.";
    private static final String[] PEER_TLS_SWITCHES = {PEER_TLS + "enableTls", PEER_TLS + "enable-tls"};

    private ClusterMode() {}

    public static boolean isOn(Environment environment) {
        return !NacosSettings.flag(environment, true, STANDALONE);
    }

    public static final class On implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return isOn(context.getEnvironment());
        }
    }

    public static final class Off implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !isOn(context.getEnvironment());
        }
    }

    /**
     * Refuses, first of all, settings that no node of a cluster can have.
     *
     * @throws CairnException {@code INVALID_PARAMETER} in one line
     */
    public static void check(Environment environment) {
        if (!isOn(environment)) {
            return;
        }
        @Nullable String platform = NacosSettings.first(environment, DatabaseSettings.PLATFORM);
        new StartCheck(HostResolver.SYSTEM)
                .requireSharedDatabase(
                        DatabaseSettings.read(environment).server().isPresent(), platform);
        if (NacosSettings.read(environment).address().getPort() == 0) {
            throw NacosSettings.refusal(
                    "server.port: 0 (expected: 1-64534 in cluster mode, because the other nodes know this one by its port)");
        }
        if (NacosSettings.flag(environment, false, PEER_TLS_SWITCHES)) {
            throw NacosSettings.refusal(
                    PEER_TLS + "*: the nodes do not use TLS between each other; all that passes is"
                            + " encrypted with the key of the group, always (see docs/guide/cluster.md): remove these settings");
        }
    }
}
