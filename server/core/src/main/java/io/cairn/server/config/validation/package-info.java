/** Looks whether a content is well-formed in the format that its publisher declared. */
@NullMarked
package io.cairn.server.config.validation;

import org.jspecify.annotations.NullMarked;
