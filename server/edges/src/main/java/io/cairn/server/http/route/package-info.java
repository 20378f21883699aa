/** The routes of the HTTP edge: their table, who is let in, what they take and answer, and the reference made of that. */
@NullMarked
package io.cairn.server.http.route;

import org.jspecify.annotations.NullMarked;
