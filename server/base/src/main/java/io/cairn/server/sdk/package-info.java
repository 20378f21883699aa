/** The client libraries whose behavior the server works around. */
@NullMarked
package io.cairn.server.sdk;

import org.jspecify.annotations.NullMarked;
