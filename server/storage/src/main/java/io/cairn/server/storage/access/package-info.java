/** The stores of accounts, secrets and the audit on JDBC. */
@NullMarked
package io.cairn.server.storage.access;

import org.jspecify.annotations.NullMarked;
