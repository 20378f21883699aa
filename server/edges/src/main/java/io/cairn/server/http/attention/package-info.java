/** The findings: what an operator should know about this server. */
@NullMarked
package io.cairn.server.http.attention;

import org.jspecify.annotations.NullMarked;
