package io.cairn.server.compatibility;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractListener;
import com.alibaba.nacos.api.exception.NacosException;
import java.util.Map;
import java.util.TreeMap;

/** A client that listens to configurations with rising numbers. */
final class VersionListener {
    private final ConfigService client;
    private final Map<String, Integer> newest = new TreeMap<>();

    VersionListener(ConfigService client, Iterable<String> dataIds) throws NacosException {
        this.client = client;
        for (String dataId : dataIds) {
            client.addListener(dataId, ConfigScenarios.GROUP, new AbstractListener() {
                @Override
                public void receiveConfigInfo(String content) {
                    received(dataId, Integer.parseInt(content));
                }
            });
        }
    }

    private synchronized void received(String dataId, int version) {
        newest.put(dataId, version);
    }

    /** The last received number of each configuration. */
    synchronized Map<String, Integer> newest() {
        return new TreeMap<>(newest);
    }

    /** The client's connection state: UP or DOWN. */
    String status() {
        return client.getServerStatus();
    }
}
