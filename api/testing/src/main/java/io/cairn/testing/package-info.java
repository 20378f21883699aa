/** The limit of the waits of all tests, and ports that stay theirs. */
@NullMarked
package io.cairn.testing;

import org.jspecify.annotations.NullMarked;
