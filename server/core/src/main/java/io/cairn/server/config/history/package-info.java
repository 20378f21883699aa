/** The history of configurations: queries, rollback and retention. */
@NullMarked
package io.cairn.server.config.history;

import org.jspecify.annotations.NullMarked;
