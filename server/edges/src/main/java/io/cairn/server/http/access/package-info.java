/** What the versions of the API about users, permissions and tokens share. */
@NullMarked
package io.cairn.server.http.access;

import org.jspecify.annotations.NullMarked;
