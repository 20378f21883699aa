package io.cairn.server.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.FilterType;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The main class of a Nacos 1.3 without its console, run with that server's class path. */
@EnableScheduling
@SpringBootApplication
@ComponentScan(
        basePackages = "com.alibaba.nacos",
        excludeFilters =
                @ComponentScan.Filter(
                        type = FilterType.REGEX,
                        pattern = {".*\\.naming\\.NamingApp", ".*\\.config\\.server\\.Config"}))
class NacosServer1 {

    private static final List<String> CONTROLLERS = List.of(
            "com.alibaba.nacos.core.controller",
            "com.alibaba.nacos.naming.controllers",
            "com.alibaba.nacos.config.server.controller");

    public static void main(String[] arguments) throws Exception {
        createTables();
        SpringApplication server = new SpringApplication(NacosServer1.class);
        Class<?> login = Class.forName("com.alibaba.nacos.core.auth.AuthManager");
        // Its console has the only implementation.
        Object none =
                Proxy.newProxyInstance(login.getClassLoader(), new Class<?>[] {login}, (proxy, method, values) -> {
                    throw new UnsupportedOperationException(method.toString());
                });
        server.addInitializers(context -> context.getBeanFactory().registerSingleton("authManager", none));
        ConfigurableApplicationContext context = server.run(arguments);
        Class<?> methods = Class.forName("com.alibaba.nacos.core.code.ControllerMethodsCache");
        for (String controllers : CONTROLLERS) {
            methods.getMethod("initClassMethod", String.class).invoke(context.getBean(methods), controllers);
        }
    }

    /** By the statements that it ships, at its first start. */
    private static void createTables() throws Exception {
        try (InputStream script = NacosServer1.class.getResourceAsStream("/META-INF/nacos-db.sql");
                Connection connection = DriverManager.getConnection(
                        System.getProperty("db.url.0"),
                        System.getProperty("db.user"),
                        System.getProperty("db.password"));
                ResultSet tables = connection.getMetaData().getTables(null, null, "config_info", null);
                Statement statement = connection.createStatement()) {
            if (tables.next()) {
                return;
            }
            for (String create : new String(script.readAllBytes(), UTF_8).split(";")) {
                if (!create.isBlank()) {
                    statement.execute(create);
                }
            }
        }
    }
}
