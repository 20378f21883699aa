package io.cairn.server.compatibility;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The official clients of one side of a migration. Thread-safe. */
final class MigrationSide implements AutoCloseable {

    private static final long READ_MILLIS = 5_000;
    private static final String GROUP = "DEFAULT_GROUP";

    private final String name;
    private final String address;
    private final NacosClients configClients;
    private final ConfigService configs;
    private final NamingService registry;
    private final Map<String, RecordingListener> listeners = new ConcurrentHashMap<>();
    private final AtomicBoolean away = new AtomicBoolean();

    MigrationSide(String name, String address) throws NacosException {
        this.name = name;
        this.address = address;
        configClients = new NacosClients(address);
        configs = configClients.open();
        registry = NamingClients.create(address, Map.of());
    }

    String name() {
        return name;
    }

    String address() {
        return address;
    }

    Set<Integer> ports(String service) throws NacosException {
        return MovingFleet.ports(registry.getAllInstances(service, false));
    }

    boolean publish(String dataId, String content) throws NacosException {
        return configs.publishConfig(dataId, GROUP, content);
    }

    String read(String dataId) throws NacosException {
        return String.valueOf(configs.getConfig(dataId, GROUP, READ_MILLIS));
    }

    void listen(String dataId) throws NacosException {
        RecordingListener listener = new RecordingListener();
        listeners.put(dataId, listener);
        configs.addListener(dataId, GROUP, listener);
    }

    boolean hasNow(String dataId, String content) {
        RecordingListener listener = listeners.get(dataId);
        return listener != null && listener.hasNow(content);
    }

    /** Whether calls to this side may fail, because the test has stopped its server. */
    void away(boolean isAway) {
        away.set(isAway);
    }

    boolean isAway() {
        return away.get();
    }

    @Override
    public void close() throws NacosException {
        registry.shutDown();
        configClients.close();
    }
}
