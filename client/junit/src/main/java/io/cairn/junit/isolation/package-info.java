/** Keeps the server, and whatever it brings along, apart from the classes of those who test. */
@NullMarked
package io.cairn.junit.isolation;

import org.jspecify.annotations.NullMarked;
