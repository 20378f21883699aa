/** The types that client and server share: domain values, wire messages and their codecs, error codes. */
@NullMarked
package io.cairn.api;

import org.jspecify.annotations.NullMarked;
