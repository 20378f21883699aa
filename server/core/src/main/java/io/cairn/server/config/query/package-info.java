/** Looking configurations up: lists, searches, and all that is stored of one. */
@NullMarked
package io.cairn.server.config.query;

import org.jspecify.annotations.NullMarked;
