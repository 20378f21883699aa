package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractListener;
import com.alibaba.nacos.api.naming.NamingService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** An application with the client of generation 1 in a JVM of its own: it reads whom to trust once for all. */
final class EncryptedClient {

    private EncryptedClient() {}

    /** Prints what came of each step, a line each. */
    public static void main(String[] arguments) throws Exception {
        ConfigService configs = PatientWrites.of(NacosFactory.createConfigService(arguments[0]));
        System.out.println("published " + configs.publishConfig("tls.txt", "G", "one"));
        CountDownLatch second = new CountDownLatch(1);
        String first = configs.getConfigAndSignListener("tls.txt", "G", PATIENCE.toMillis(), new AbstractListener() {
            @Override
            public void receiveConfigInfo(String content) {
                if (content.equals("two")) {
                    second.countDown();
                }
            }
        });
        System.out.println("read " + first);
        configs.publishConfig("tls.txt", "G", "two");
        System.out.println("heard " + second.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        NamingService naming = NacosFactory.createNamingService(arguments[0]);
        naming.registerInstance("encrypted", "10.0.0.9", 80);
        System.out.println("found "
                + naming.selectInstances("encrypted", true, false).get(0).getIp());
        System.exit(0);
    }
}
