/** What is said in the log, and how often. Knows no other part. */
@NullMarked
package io.cairn.server.logging;

import org.jspecify.annotations.NullMarked;
