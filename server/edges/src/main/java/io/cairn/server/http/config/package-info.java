/** What the versions of the API share in reading requests for configurations and answering them. */
@NullMarked
package io.cairn.server.http.config;

import org.jspecify.annotations.NullMarked;
