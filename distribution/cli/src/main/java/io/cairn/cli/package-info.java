/** {@code bin/cairn}: the server from a terminal or a script. It calls the public HTTP API and nothing else. */
@NullMarked
package io.cairn.cli;

import org.jspecify.annotations.NullMarked;
