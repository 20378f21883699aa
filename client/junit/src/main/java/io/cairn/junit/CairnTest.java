package io.cairn.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of a class with an empty Cairn server in this JVM, on free ports of loopback. Parameters of type
 * {@link CairnTestServer} receive the server, also in the constructor, except with {@code PER_CLASS}.
 *
 * <pre>{@code
 * @CairnTest
 * @CairnConfig(dataId = "orders.yaml", content = "timeout: 3s")
 * class OrdersTest {
 *     @Test
 *     void readsItsTimeout(CairnTestServer cairn) throws Exception {
 *         ConfigService configs = NacosFactory.createConfigService(cairn.address());
 *         ...
 *     }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(CairnExtension.class)
public @interface CairnTest {

    /** Properties of the server, as in application.properties: {@code "name=value"}. */
    String[] settings() default {};
}
