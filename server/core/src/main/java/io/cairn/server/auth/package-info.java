/**
 * Authentication and authorization: users, roles, permissions and tokens, the policy that all edges use, and the audit
 * log.
 */
@NullMarked
package io.cairn.server.auth;

import org.jspecify.annotations.NullMarked;
