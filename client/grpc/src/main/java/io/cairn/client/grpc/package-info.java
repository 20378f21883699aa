/** Lets gRPC channels follow the registry. */
@NullMarked
package io.cairn.client.grpc;

import org.jspecify.annotations.NullMarked;
