/**
 * gRPC over HTTP/2 for Cairn's few methods, directly on Netty's event loops (ADR 19). The objects of a connection are used on its
 * event loop, unless their comment says otherwise.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.server.http2;
