package io.cairn.server.compatibility;

import static io.cairn.server.compatibility.ConfigScenarios.GROUP;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Changing configurations, and clients that each listen to some. For one thread at a time. */
final class ListeningClients {
    private static final Map<String, String> FEW_THREADS = Map.of(
            PropertyKeyConst.CLIENT_WORKER_THREAD_COUNT, "2", PropertyKeyConst.CLIENT_WORKER_MAX_THREAD_COUNT, "2");

    private final List<String> dataIds;
    private final HttpConfigs writer;
    private final Random random;
    private final List<Client> clients = new ArrayList<>();
    private final Map<String, Version> newest = new HashMap<>();
    private int publishes;

    private record Version(int number, String content) {}

    /**
     * @param since the last publish before it was added: the client does not call it for contents that another listener or an
     *     earlier client's snapshot has fetched
     */
    private record Added(RecordingListener listener, int since) {

        boolean isBehind(Version newest) {
            return newest.number > since && !listener.hasNow(newest.content);
        }
    }

    private record Client(ConfigService service, Map<String, Added> listeners) {}

    ListeningClients(List<String> dataIds, HttpConfigs writer, Random random) {
        this.dataIds = dataIds;
        this.writer = writer;
        this.random = random;
    }

    void publishAll() throws IOException, InterruptedException {
        for (String dataId : dataIds) {
            publish(dataId);
        }
    }

    void publishOne() throws IOException, InterruptedException {
        publish(someDataId());
    }

    private void publish(String dataId) throws IOException, InterruptedException {
        publishes++;
        String content = "version " + publishes;
        String answer = writer.publish(dataId, GROUP, content).body();
        if (!answer.equals("true")) {
            throw new IOException("publish of " + dataId + ": " + answer);
        }
        newest.put(dataId, new Version(publishes, content));
    }

    void open(NacosClients how, int listeners) throws NacosException {
        var client = new Client(how.open(FEW_THREADS), new HashMap<>());
        while (client.listeners.size() < listeners) {
            String dataId = someDataId();
            if (!client.listeners.containsKey(dataId)) {
                listen(client, dataId);
            }
        }
        clients.add(client);
    }

    void changeOneListener() throws NacosException {
        Client client = clients.get(random.nextInt(clients.size()));
        String dataId = someDataId();
        Added removed = client.listeners.remove(dataId);
        if (removed == null) {
            listen(client, dataId);
        } else {
            client.service.removeListener(dataId, GROUP, removed.listener);
        }
    }

    private void listen(Client client, String dataId) throws NacosException {
        var added = new Added(new RecordingListener(), publishes);
        client.service.addListener(dataId, GROUP, added.listener);
        client.listeners.put(dataId, added);
    }

    private String someDataId() {
        return dataIds.get(random.nextInt(dataIds.size()));
    }

    int publishes() {
        return publishes;
    }

    int listeners() {
        return clients.stream().mapToInt(client -> client.listeners.size()).sum();
    }

    /** The number of listeners without the newest content since their addition. */
    int behind() {
        int behind = 0;
        for (Client client : clients) {
            for (Map.Entry<String, Added> entry : client.listeners.entrySet()) {
                Version version = newest.get(entry.getKey());
                if (version != null && entry.getValue().isBehind(version)) {
                    behind++;
                }
            }
        }
        return behind;
    }
}
