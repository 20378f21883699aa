/** The list of a service: its snapshots, the views of consumers, and what has changed between two of them. */
@NullMarked
package io.cairn.server.naming.view;

import org.jspecify.annotations.NullMarked;
