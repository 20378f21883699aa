/** Several configurations changed as one. */
@NullMarked
package io.cairn.server.config.changeset;

import org.jspecify.annotations.NullMarked;
