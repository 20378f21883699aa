/** Logging in. Not for users. */
@NullMarked
package io.cairn.client.auth;

import org.jspecify.annotations.NullMarked;
