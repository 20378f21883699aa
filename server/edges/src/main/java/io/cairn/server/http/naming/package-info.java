/** Services over HTTP: the forms, actions and answers that all versions of the API share. */
@NullMarked
package io.cairn.server.http.naming;

import org.jspecify.annotations.NullMarked;
