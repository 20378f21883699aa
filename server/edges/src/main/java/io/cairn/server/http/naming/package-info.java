/** What all versions of the HTTP API of the registry share: reading forms, doing what they ask for, shapes of answers. */
@NullMarked
package io.cairn.server.http.naming;

import org.jspecify.annotations.NullMarked;
