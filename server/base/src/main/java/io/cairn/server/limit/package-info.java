/** What one client may take of the server: each limit with its name, its setting, how much is used and how often it held. */
@NullMarked
package io.cairn.server.limit;

import org.jspecify.annotations.NullMarked;
