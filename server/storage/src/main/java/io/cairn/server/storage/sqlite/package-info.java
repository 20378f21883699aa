/** The embedded database: connections, schema, SQL and errors. */
@NullMarked
package io.cairn.server.storage.sqlite;

import org.jspecify.annotations.NullMarked;
