/** TLS on both ports: certificates, users by client certificate, and detection by the first byte. */
@NullMarked
package io.cairn.server.tls;

import org.jspecify.annotations.NullMarked;
