/** Watches of keys, and the delivery of changes to watchers: coalesce, send, await the acknowledgement, retry. */
@NullMarked
package io.cairn.server.push;

import org.jspecify.annotations.NullMarked;
