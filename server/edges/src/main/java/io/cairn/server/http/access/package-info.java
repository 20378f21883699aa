/** Users, permissions and tokens over HTTP: the code that the versions of the API share. */
@NullMarked
package io.cairn.server.http.access;

import org.jspecify.annotations.NullMarked;
