/** Tokens of an OpenID Connect issuer: its keys, the checks of a token, and the rules that make roles of its claims. */
@NullMarked
package io.cairn.server.auth.issuer;

import org.jspecify.annotations.NullMarked;
