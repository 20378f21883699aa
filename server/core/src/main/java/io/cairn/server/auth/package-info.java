/**
 * Who calls, and what he may do: users, roles, permissions and tokens, the one policy that all edges ask, and the record
 * of what was changed.
 */
@NullMarked
package io.cairn.server.auth;

import org.jspecify.annotations.NullMarked;
