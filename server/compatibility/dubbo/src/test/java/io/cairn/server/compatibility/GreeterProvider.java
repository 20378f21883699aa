package io.cairn.server.compatibility;

import io.cairn.server.process.PortPair;
import java.io.IOException;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ProtocolConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.dubbo.config.ServiceConfig;
import org.apache.dubbo.config.bootstrap.DubboBootstrap;
import org.apache.dubbo.rpc.model.FrameworkModel;

/** An application that provides {@link Greeter}, with all of Dubbo to itself. */
final class GreeterProvider implements AutoCloseable {
    private final FrameworkModel framework;
    private final int port;

    private GreeterProvider(FrameworkModel framework, int port) {
        this.framework = framework;
        this.port = port;
    }

    /** Registers as the register mode says: by interface, by application or both ways. */
    static GreeterProvider start(String serverAddress, String application, String registerMode, String version) {
        // A Triple port would be closed together with those of all other applications in this JVM.
        return start("dubbo", serverAddress, application, registerMode, version);
    }

    private static GreeterProvider start(
            String protocol, String serverAddress, String application, String registerMode, String version) {
        var framework = new FrameworkModel();
        RegistryConfig registry = registry(serverAddress);
        registry.setRegisterMode(registerMode);
        var service = new ServiceConfig<Greeter>();
        service.setInterface(Greeter.class);
        service.setVersion(version);
        service.setRef(name -> name + " from " + port(service));
        DubboBootstrap.getInstance(framework.newApplication())
                .application(application(application))
                .registry(registry)
                .protocol(new ProtocolConfig(protocol, PortPair.free().http()))
                .service(service)
                .start();
        return new GreeterProvider(framework, port(service));
    }

    /**
     * Names the registry, which is the metadata center and the config center too.
     *
     * @param serverAddress with a comma in between when there are several
     */
    static RegistryConfig registry(String serverAddress) {
        return new RegistryConfig("nacos://" + serverAddress.replaceFirst(",", "?backup="));
    }

    private static int port(ServiceConfig<Greeter> service) {
        return service.getExportedUrls().get(0).getPort();
    }

    static ApplicationConfig application(String name) {
        var application = new ApplicationConfig(name);
        application.setQosEnable(false); // a port for operators, which all applications of a host would want
        return application;
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        framework.destroy();
    }

    /** Provides over Triple until it is killed or its standard input ends; prints its port when it is registered. */
    public static void main(String[] args) throws IOException {
        try (GreeterProvider provider = start("tri", args[0], args[1], args[2], args[3])) {
            System.out.println("port " + provider.port());
            while (System.in.read() >= 0) {
                // until whoever started this is gone
            }
        }
    }
}
