/** The nodes that share one database, as the database knows them. */
@NullMarked
package io.cairn.server.node;

import org.jspecify.annotations.NullMarked;
