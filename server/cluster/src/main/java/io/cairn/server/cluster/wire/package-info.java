/** The messages between the servers of a group, and their encoding. */
@NullMarked
package io.cairn.server.cluster.wire;

import org.jspecify.annotations.NullMarked;
