/** MySQL and MariaDB: connections, schema, SQL and errors. */
@NullMarked
package io.cairn.server.storage.mysql;

import org.jspecify.annotations.NullMarked;
