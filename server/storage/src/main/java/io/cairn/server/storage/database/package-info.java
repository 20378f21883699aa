/** A database: its connections, how it differs from others, and which of its rows can be used. */
@NullMarked
package io.cairn.server.storage.database;

import org.jspecify.annotations.NullMarked;
