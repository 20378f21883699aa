/** For tests: a real Cairn server inside the test's JVM, started and stopped by JUnit Jupiter. */
@NullMarked
package io.cairn.junit;

import org.jspecify.annotations.NullMarked;
