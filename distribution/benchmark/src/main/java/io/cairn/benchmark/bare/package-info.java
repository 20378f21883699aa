/** A server with nothing in it but its transport: the limit to compare with, and the stub of this module's tests. */
@NullMarked
package io.cairn.benchmark.bare;

import org.jspecify.annotations.NullMarked;
