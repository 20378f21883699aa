/** TLS on both ports: the certificates, who a client is by his, and finding out from the first byte what he speaks. */
@NullMarked
package io.cairn.server.tls;

import org.jspecify.annotations.NullMarked;
