/** The stores of configurations on JDBC. */
@NullMarked
package io.cairn.server.storage.config;

import org.jspecify.annotations.NullMarked;
