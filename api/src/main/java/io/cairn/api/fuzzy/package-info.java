/** Patterns for watches of many names. All types are immutable and thread-safe. */
@NullMarked
package io.cairn.api.fuzzy;

import org.jspecify.annotations.NullMarked;
