package io.cairn.server.compatibility;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import java.util.Arrays;
import java.util.Map;

/**
 * The program of a {@link ProviderProcess}: registers one instance, or subscribes, reports that, and runs until its standard input ends.
 */
final class Provider {
    static final String REGISTERED = "registered";

    private Provider() {}

    /** Arguments: server's address, service, ip, port, metadata as {@code key=value}; the first two alone subscribe. */
    public static void main(String[] arguments) throws Exception {
        NamingService client = NamingClients.create(arguments[0], Map.of());
        if (arguments.length == 2) {
            client.subscribe(arguments[1], event -> {});
        } else {
            register(client, arguments);
        }
        System.out.println(REGISTERED);
        while (System.in.read() >= 0) {
            // Waits for the end of the parent
        }
        Runtime.getRuntime().halt(0);
    }

    private static void register(NamingService client, String[] arguments) throws NacosException {
        var instance = new Instance();
        instance.setIp(arguments[2]);
        instance.setPort(Integer.parseInt(arguments[3]));
        Arrays.stream(arguments).skip(4).map(pair -> pair.split("=", 2)).forEach(pair -> {
            instance.addMetadata(pair[0], pair[1]);
        });
        client.registerInstance(arguments[1], instance);
    }
}
