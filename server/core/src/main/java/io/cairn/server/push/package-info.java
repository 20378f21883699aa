/** Who watches what, and how a change reaches the watchers: coalesce, send, await the acknowledgement, retry. */
@NullMarked
package io.cairn.server.push;

import org.jspecify.annotations.NullMarked;
