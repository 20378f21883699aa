package io.cairn.server.compatibility;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Opens official naming clients with default settings, and closes them. */
final class NamingClients implements AutoCloseable {
    private static final FirstClient FIRST = new FirstClient();

    static {
        ShadedGrpc.quieten();
    }

    private final String serverAddress;
    private final Queue<NamingService> opened = new ConcurrentLinkedQueue<>();

    NamingClients(String serverAddress) {
        this.serverAddress = serverAddress;
    }

    /** A client that names no namespace. */
    NamingService open() throws NacosException {
        return open(Map.of());
    }

    NamingService open(String namespace) throws NacosException {
        return open(Map.of(PropertyKeyConst.NAMESPACE, namespace));
    }

    /**
     * Registers each instance once. Others repeat a running registration every 3 s, perhaps after a later registration of the instance.
     */
    NamingService openWithoutRedo() throws NacosException {
        return open(Map.of(PropertyKeyConst.REDO_DELAY_TIME, "3600000"));
    }

    private NamingService open(Map<String, String> settings) throws NacosException {
        NamingService client = create(serverAddress, settings);
        opened.add(client);
        return client;
    }

    /** A client that the caller closes. */
    static NamingService create(String serverAddress, Map<String, String> settings) throws NacosException {
        var properties = new Properties();
        properties.setProperty(PropertyKeyConst.SERVER_ADDR, serverAddress);
        settings.forEach(properties::setProperty);
        return FIRST.before(() -> NacosFactory.createNamingService(properties));
    }

    /** Does not wait: each client needs time for its threads. */
    @Override
    public void close() {
        for (NamingService client = opened.poll(); client != null; client = opened.poll()) {
            NamingService closing = client;
            var closer = new Thread(() -> shutDown(closing), "nacos-naming-client-closer");
            closer.setDaemon(true);
            closer.start();
        }
    }

    private static void shutDown(NamingService client) {
        try {
            client.shutDown();
        } catch (NacosException e) {
            throw new IllegalStateException(e);
        }
    }
}
