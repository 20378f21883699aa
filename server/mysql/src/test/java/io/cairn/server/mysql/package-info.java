/** A database for tests: as a process that may be killed, and as a schema on a server that test classes share. */
package io.cairn.server.mysql;
