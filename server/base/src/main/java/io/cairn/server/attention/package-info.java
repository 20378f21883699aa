/** The facts about a server that need the attention of its operators. Each feature finds its own. */
@NullMarked
package io.cairn.server.attention;

import org.jspecify.annotations.NullMarked;
