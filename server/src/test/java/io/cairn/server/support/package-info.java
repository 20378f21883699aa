/** A server and clients for tests. */
package io.cairn.server.support;
