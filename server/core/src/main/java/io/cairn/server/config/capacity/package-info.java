/** How many configurations there may be, and how large. */
@NullMarked
package io.cairn.server.config.capacity;

import org.jspecify.annotations.NullMarked;
