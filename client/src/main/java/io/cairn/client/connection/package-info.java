/** Server addresses, the source of a value, and the failures of connections and requests. */
@NullMarked
package io.cairn.client.connection;

import org.jspecify.annotations.NullMarked;
