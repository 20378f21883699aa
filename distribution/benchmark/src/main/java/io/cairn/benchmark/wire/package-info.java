/** The Nacos wire as a client speaks it, by hand and at little cost: gRPC envelopes over HTTP/2, and HTTP/1.1. */
@NullMarked
package io.cairn.benchmark.wire;

import org.jspecify.annotations.NullMarked;
