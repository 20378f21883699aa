package io.cairn.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.client.config.ConfigClient;
import io.cairn.client.internal.ClientParts;
import io.cairn.client.naming.EmptyLists;
import io.cairn.client.naming.NamingClient;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Public types must not expose internal types, which may change. */
class PublicApiTest {

    private static final String INTERNAL = "io.cairn.client.internal";

    @Test
    void noPublicTypeExposesAnInternalOne() throws Exception {
        List<Class<?>> classes = publicClasses();
        assertThat(classes).contains(CairnClient.class, ClientBuilder.class, ConfigClient.class, NamingClient.class);
        TreeSet<String> shown = new TreeSet<>();
        for (Class<?> type : classes) {
            inspect(type, shown);
        }
        // The client must be able to create them: the constructor takes a type that only the client has.
        assertThat(shown)
                .containsExactly(
                        ConfigClient.class.getConstructor(ClientParts.class).toGenericString(),
                        NamingClient.class
                                .getConstructor(ClientParts.class, EmptyLists.class, Duration.class)
                                .toGenericString());
    }

    private static List<Class<?>> publicClasses() throws Exception {
        Path root = Path.of(CairnClient.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        List<Class<?>> all = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root.resolve("io/cairn/client"))) {
            for (Path file : files.filter(one -> one.toString().endsWith(".class"))
                    .filter(one -> !one.endsWith("package-info.class"))
                    .toList()) {
                String name = root.relativize(file).toString().replace('/', '.').replace('\\', '.');
                Class<?> type = Class.forName(name.substring(0, name.length() - ".class".length()));
                if (!type.getName().startsWith(INTERNAL) && isPublic(type)) {
                    all.add(type);
                }
            }
        }
        return all;
    }

    private static boolean isPublic(Class<?> type) {
        return Modifier.isPublic(type.getModifiers())
                && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
    }

    private static void inspect(Class<?> type, TreeSet<String> shown) {
        if (names(type.getGenericSuperclass())
                || Stream.of(type.getGenericInterfaces()).anyMatch(PublicApiTest::names)) {
            shown.add(type.toGenericString());
        }
        for (Field field : type.getDeclaredFields()) {
            if (seen(field) && names(field.getGenericType())) {
                shown.add(field.toGenericString());
            }
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            inspect(constructor, shown);
        }
        for (Method method : type.getDeclaredMethods()) {
            if (seen(method) && names(method.getGenericReturnType())) {
                shown.add(method.toGenericString());
            }
            inspect(method, shown);
        }
    }

    private static void inspect(Executable executable, TreeSet<String> shown) {
        if (seen(executable) && Stream.of(executable.getGenericParameterTypes()).anyMatch(PublicApiTest::names)) {
            shown.add(executable.toGenericString());
        }
    }

    private static boolean seen(Member member) {
        return (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0 && !member.isSynthetic();
    }

    private static boolean names(Type type) {
        return type != null && type.getTypeName().contains(INTERNAL);
    }
}
