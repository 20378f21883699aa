/** Patterns by which clients watch many names at once. */
@NullMarked
package io.cairn.api.fuzzy;

import org.jspecify.annotations.NullMarked;
