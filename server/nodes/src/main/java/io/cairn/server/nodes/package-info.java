/** A database and the nodes of a cluster, each in a process of its own; without a class of the server. */
@NullMarked
package io.cairn.server.nodes;

import org.jspecify.annotations.NullMarked;
