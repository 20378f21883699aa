/** Handlers and pushes of configuration messages. */
@NullMarked
package io.cairn.server.rpc.config;

import org.jspecify.annotations.NullMarked;
