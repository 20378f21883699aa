/** Keeps the classes of the server and of its libraries apart from those of the test. */
@NullMarked
package io.cairn.junit.isolation;

import org.jspecify.annotations.NullMarked;
