/** The commands, run in this JVM against a real server. */
package io.cairn.cli;
