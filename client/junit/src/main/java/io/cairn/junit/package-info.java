/** Runs a Cairn server inside the test's JVM, or a cluster in separate processes, for JUnit Jupiter. */
@NullMarked
package io.cairn.junit;

import org.jspecify.annotations.NullMarked;
