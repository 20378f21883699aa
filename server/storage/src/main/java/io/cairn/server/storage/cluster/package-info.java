/** The nodes of a cluster, as the database shows them to each other. */
@NullMarked
package io.cairn.server.storage.cluster;

import org.jspecify.annotations.NullMarked;
