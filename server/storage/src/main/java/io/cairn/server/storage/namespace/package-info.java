/** The stores of namespaces and capacities on JDBC. */
@NullMarked
package io.cairn.server.storage.namespace;

import org.jspecify.annotations.NullMarked;
