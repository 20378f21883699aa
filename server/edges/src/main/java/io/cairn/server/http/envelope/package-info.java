/** The JSON object around every answer since version 2 of the API, and its codes. */
@NullMarked
package io.cairn.server.http.envelope;

import org.jspecify.annotations.NullMarked;
