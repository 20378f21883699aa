/** The instances of other nodes of the group, and clients that move between nodes. */
@NullMarked
package io.cairn.server.naming.group;

import org.jspecify.annotations.NullMarked;
