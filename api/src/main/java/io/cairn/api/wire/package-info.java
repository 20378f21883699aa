/** The Nacos gRPC wire: the payload envelope, the JSON inside it, and the catalog of messages. */
@NullMarked
package io.cairn.api.wire;

import org.jspecify.annotations.NullMarked;
