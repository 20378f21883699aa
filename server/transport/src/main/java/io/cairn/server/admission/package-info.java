/** Admission of connections and requests: their number, the time for heads, the memory for large messages. */
@NullMarked
package io.cairn.server.admission;

import org.jspecify.annotations.NullMarked;
