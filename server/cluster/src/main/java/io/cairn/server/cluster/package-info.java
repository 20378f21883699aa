/** The group of servers that act as one registry and one configuration center: its members, their states and how they meet. */
@NullMarked
package io.cairn.server.cluster;

import org.jspecify.annotations.NullMarked;
