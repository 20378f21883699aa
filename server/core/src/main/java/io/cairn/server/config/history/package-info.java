/** What configurations were before: looked up, brought back, and forgotten in time. */
@NullMarked
package io.cairn.server.config.history;

import org.jspecify.annotations.NullMarked;
