/** Rows that several stores write: configurations, history, changes, audit. */
@NullMarked
package io.cairn.server.storage.row;

import org.jspecify.annotations.NullMarked;
