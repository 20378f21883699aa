package io.cairn.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a Cairn server of their own: in this JVM, on free ports of loopback, with nothing in it but
 * what {@link CairnConfig} says. A parameter of type {@link CairnTestServer} tells where it is: of a test, of a method around
 * it such as {@code @BeforeEach}, or of the constructor, unless one instance serves all tests ({@code PER_CLASS}), for that
 * is made before the server runs.
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

    /** Settings of the server, as in its application.properties: {@code "name=value"}. */
    String[] settings() default {};
}
