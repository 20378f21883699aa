/** Pushes of services to 1.x clients, which have no connection but a UDP port. */
@NullMarked
package io.cairn.server.subscription.udp;

import org.jspecify.annotations.NullMarked;
