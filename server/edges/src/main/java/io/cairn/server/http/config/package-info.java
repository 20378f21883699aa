/** The forms, the actions and the answers that the versions of the API share for configurations. */
@NullMarked
package io.cairn.server.http.config;

import org.jspecify.annotations.NullMarked;
