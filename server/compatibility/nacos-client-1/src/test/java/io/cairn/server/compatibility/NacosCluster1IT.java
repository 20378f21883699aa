package io.cairn.server.compatibility;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.util.List;

/** Generation 1 over HTTP: heartbeats go to any node, polls to one node until it fails. */
class NacosCluster1IT extends ClusterScenarios {
    @Override
    void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
        for (Instance instance : instances) {
            client.registerInstance(service, NamingScenarios.copy(instance));
        }
    }
}
