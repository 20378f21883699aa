package io.cairn.server.compatibility;

import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The main class of a Nacos 2.5 without its console, run with that server's class path. */
@EnableScheduling
@SpringBootApplication
@ComponentScan(
        basePackages = "com.alibaba.nacos",
        excludeFilters =
                @ComponentScan.Filter(
                        type = FilterType.REGEX,
                        pattern = {".*\\.naming\\.NamingApp", ".*\\.config\\.server\\.Config"}))
class NacosServer2 {

    /** Without these names, which its console gives it, the server has no rules of access and refuses paths of version 1. */
    private static final List<String> CONTROLLERS = List.of(
            "com.alibaba.nacos.core.controller",
            "com.alibaba.nacos.naming.controllers",
            "com.alibaba.nacos.config.server.controller",
            "com.alibaba.nacos.plugin.auth.impl.controller");

    public static void main(String[] arguments) throws ReflectiveOperationException {
        ConfigurableApplicationContext context = SpringApplication.run(NacosServer2.class, arguments);
        Class<?> methods = Class.forName("com.alibaba.nacos.core.code.ControllerMethodsCache");
        for (String controllers : CONTROLLERS) {
            methods.getMethod("initClassMethod", String.class).invoke(context.getBean(methods), controllers);
        }
    }
}
