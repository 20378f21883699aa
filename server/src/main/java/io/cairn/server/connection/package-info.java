/** Who is on the line. */
@NullMarked
package io.cairn.server.connection;

import org.jspecify.annotations.NullMarked;
