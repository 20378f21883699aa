/** Server-sent events for the console: hints that something has changed, after which the console reads it. */
@NullMarked
package io.cairn.server.http.events;

import org.jspecify.annotations.NullMarked;
