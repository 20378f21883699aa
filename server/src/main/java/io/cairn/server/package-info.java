/** The server: {@link io.cairn.server.CairnServer} starts and stops everything. */
@NullMarked
package io.cairn.server;

import org.jspecify.annotations.NullMarked;
