/** The one writer of a node: groups of commands that share a transaction. */
@NullMarked
package io.cairn.server.storage.writer;

import org.jspecify.annotations.NullMarked;
