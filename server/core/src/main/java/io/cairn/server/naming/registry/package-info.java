/** The services, their publications and publishers, and what follows a change. */
@NullMarked
package io.cairn.server.naming.registry;

import org.jspecify.annotations.NullMarked;
