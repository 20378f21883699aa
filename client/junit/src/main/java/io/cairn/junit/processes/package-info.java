/** Servers and a database in separate processes, which a test can kill and pause, and which end with the test's JVM. */
@NullMarked
package io.cairn.junit.processes;

import org.jspecify.annotations.NullMarked;
