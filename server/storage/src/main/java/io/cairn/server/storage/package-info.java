/** The database: one group-committing writer, plain JDBC, a dialect for each database, and the migrations. */
@NullMarked
package io.cairn.server.storage;

import org.jspecify.annotations.NullMarked;
