/** For tests: a real Cairn server inside the test's JVM, or a cluster of them in processes, started and stopped by JUnit Jupiter. */
@NullMarked
package io.cairn.junit;

import org.jspecify.annotations.NullMarked;
