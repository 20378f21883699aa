/** Backup and restore of all tables. */
@NullMarked
package io.cairn.server.storage.backup;

import org.jspecify.annotations.NullMarked;
