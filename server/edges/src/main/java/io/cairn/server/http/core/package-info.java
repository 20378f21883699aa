/** The server over HTTP: its nodes, connected clients and findings, as all versions of the API share them. */
@NullMarked
package io.cairn.server.http.core;

import org.jspecify.annotations.NullMarked;
