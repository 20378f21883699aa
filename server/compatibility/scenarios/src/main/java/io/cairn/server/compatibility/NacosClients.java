package io.cairn.server.compatibility;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Opens official clients with default settings, and closes them. */
final class NacosClients implements AutoCloseable {
    private static final FirstClient FIRST = new FirstClient();

    static {
        ShadedGrpc.quieten();
    }

    private final String serverAddress;
    private final List<ConfigService> opened = new ArrayList<>();

    NacosClients(String serverAddress) {
        this.serverAddress = serverAddress;
    }

    /** A client that names no namespace. */
    ConfigService open() throws NacosException {
        return open(Map.of());
    }

    ConfigService open(String namespace) throws NacosException {
        return open(Map.of(PropertyKeyConst.NAMESPACE, namespace));
    }

    ConfigService open(Map<String, String> settings) throws NacosException {
        var properties = new Properties();
        properties.setProperty(PropertyKeyConst.SERVER_ADDR, serverAddress);
        settings.forEach(properties::setProperty);
        ConfigService client = PatientWrites.of(FIRST.before(() -> NacosFactory.createConfigService(properties)));
        opened.add(client);
        return client;
    }

    List<ConfigService> open(int count) throws NacosException {
        var clients = new ArrayList<ConfigService>();
        for (int i = 0; i < count; i++) {
            clients.add(open());
        }
        return clients;
    }

    /** Does not wait: clients of 1.x take seconds for their parked polls. */
    @Override
    public void close() {
        for (ConfigService client : opened) {
            var closer = new Thread(() -> shutDown(client), "nacos-client-closer");
            closer.setDaemon(true);
            closer.start();
        }
        opened.clear();
    }

    private static void shutDown(ConfigService client) {
        try {
            client.shutDown();
        } catch (NacosException e) {
            throw new IllegalStateException(e);
        }
    }
}
