/** A server of the build for tests, with a database for each test class. */
package io.cairn.server.postgresql;
