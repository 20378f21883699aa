package io.cairn.server.compatibility;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The main class of a Nacos 3.1 without its console, run with that server's class path. */
final class NacosServer3 {

    private NacosServer3() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        Class<?> deployment = Class.forName("com.alibaba.nacos.sys.env.DeploymentType");
        Class.forName("com.alibaba.nacos.sys.env.EnvUtil")
                .getMethod("setDeploymentType", deployment)
                .invoke(null, deployment.getField("SERVER").get(null));
        begin("core");
        ConfigurableApplicationContext core = new SpringApplicationBuilder(
                        Class.forName("com.alibaba.nacos.NacosServerBasicApplication"))
                .web(WebApplicationType.NONE)
                .run(arguments);
        begin("web");
        new SpringApplicationBuilder(Class.forName("com.alibaba.nacos.NacosServerWebApplication"))
                .parent(core)
                .run(arguments);
    }

    private static void begin(String phase) throws ReflectiveOperationException {
        Class.forName("com.alibaba.nacos.core.listener.startup.NacosStartUpManager")
                .getMethod("start", String.class)
                .invoke(null, phase);
    }
}
