/** Services and their instances. All types are immutable and thread-safe. */
@NullMarked
package io.cairn.api.naming;

import org.jspecify.annotations.NullMarked;
