/** Lists of which each node of a cluster has a part. */
@NullMarked
package io.cairn.server.http.nodes;

import org.jspecify.annotations.NullMarked;
