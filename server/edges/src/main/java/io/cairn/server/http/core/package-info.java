/** What all versions of the API share of a server's own affairs: the nodes there are, and who is connected to them. */
@NullMarked
package io.cairn.server.http.core;

import org.jspecify.annotations.NullMarked;
