/** gRPC over HTTP/2 for the few methods that Cairn serves, on Netty's event loops and nothing else (ADR 19). */
@org.jspecify.annotations.NullMarked
package io.cairn.server.http2;
