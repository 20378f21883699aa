/** The store of services and persistent instances on JDBC. */
@NullMarked
package io.cairn.server.storage.naming;

import org.jspecify.annotations.NullMarked;
