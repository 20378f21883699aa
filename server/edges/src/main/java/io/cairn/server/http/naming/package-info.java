/** The registry over HTTP, for all versions: forms, operations, actions and the records of responses. */
@NullMarked
package io.cairn.server.http.naming;

import org.jspecify.annotations.NullMarked;
