/** Reads and checks resources of Envoy's API by descriptors. The one package that knows protobuf. */
@NullMarked
package io.cairn.server.envoy;

import org.jspecify.annotations.NullMarked;
