/** Users of an LDAP directory outside this server, who log in with their password there. */
@NullMarked
package io.cairn.server.auth.directory;

import org.jspecify.annotations.NullMarked;
