/** PostgreSQL: connections, schema, SQL and errors. */
@NullMarked
package io.cairn.server.storage.postgresql;

import org.jspecify.annotations.NullMarked;
