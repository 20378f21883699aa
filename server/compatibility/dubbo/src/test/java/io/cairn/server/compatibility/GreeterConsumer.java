package io.cairn.server.compatibility;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.apache.dubbo.rpc.cluster.ClusterInvoker;
import org.apache.dubbo.rpc.model.FrameworkModel;

/** An application that calls {@link Greeter}, with all of Dubbo to itself. */
final class GreeterConsumer implements CallingConsumer, AutoCloseable {
    private static final int CALLS = 12;
    private static final int CALL_MILLIS = 10_000;

    private final FrameworkModel framework;
    private final ReferenceConfig<Greeter> reference;

    private GreeterConsumer(FrameworkModel framework, ReferenceConfig<Greeter> reference) {
        this.framework = framework;
        this.reference = reference;
    }

    /** A consumer that looks providers up by both, as is Dubbo's default, and prefers those found by application. */
    static GreeterConsumer start(String serverAddress, String version) {
        return start(serverAddress, version, Map.of());
    }

    static GreeterConsumer byInterfaceAlone(String serverAddress, String version) {
        return start(serverAddress, version, Map.of("migration.step", "FORCE_INTERFACE"));
    }

    static GreeterConsumer byApplicationAlone(String serverAddress, String version) {
        return start(serverAddress, version, Map.of("migration.step", "FORCE_APPLICATION"));
    }

    /** A consumer that calls one provider once, whether or not that fails. */
    static GreeterConsumer withoutRetries(String serverAddress, String version, String migrationStep) {
        return start(serverAddress, version, Map.of("migration.step", migrationStep, "retries", "0"));
    }

    private static GreeterConsumer start(String serverAddress, String version, Map<String, String> parameters) {
        var framework = new FrameworkModel();
        var reference = new ReferenceConfig<Greeter>();
        reference.setInterface(Greeter.class);
        reference.setVersion(version);
        reference.setLoadbalance("roundrobin");
        // A call takes longer than Dubbo's 1 s when the machine is busy.
        reference.setTimeout(CALL_MILLIS);
        reference.setParameters(new HashMap<>(parameters));
        DubboBootstrap.getInstance(framework.newApplication())
                .application(GreeterProvider.application("hall"))
                .registry(GreeterProvider.registry(serverAddress))
                .reference(reference)
                .start();
        return new GreeterConsumer(framework, reference);
    }

    /** The ports of those who answer more calls than there are providers, none of which may fail. */
    Set<Integer> answering() {
        var ports = new HashSet<Integer>();
        for (int i = 0; i < CALLS; i++) {
            String answer = reference.get().greet("hello");
            ports.add(Integer.parseInt(answer.substring("hello from ".length())));
        }
        return ports;
    }

    /** Calls one provider. */
    @Override
    public void call() {
        reference.get().greet("hello");
    }

    /** The ports of all providers that Dubbo found, before it applies routing rules. */
    @Override
    public Set<Integer> listed() {
        var invoker = (ClusterInvoker<?>) reference.getInvoker();
        return invoker.getDirectory().getAllInvokers().stream()
                .map(provider -> provider.getUrl().getPort())
                .collect(Collectors.toSet());
    }

    @Override
    public void close() {
        framework.destroy();
    }
}
