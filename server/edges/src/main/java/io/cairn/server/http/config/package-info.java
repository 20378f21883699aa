/** Configurations over HTTP: the requests and answers that the versions of the API share. */
@NullMarked
package io.cairn.server.http.config;

import org.jspecify.annotations.NullMarked;
