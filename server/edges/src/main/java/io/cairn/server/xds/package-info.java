/** The xDS edge: streams of Envoy, MOSN and gRPC libraries, and the resources that they get. */
@NullMarked
package io.cairn.server.xds;

import org.jspecify.annotations.NullMarked;
