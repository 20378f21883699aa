/** Files that hold what would need memory. */
@NullMarked
package io.cairn.server.storage.memory;

import org.jspecify.annotations.NullMarked;
