/** gRPC over HTTP/2 for Cairn's few methods, directly on Netty's event loops (ADR 19). */
@org.jspecify.annotations.NullMarked
package io.cairn.server.http2;
