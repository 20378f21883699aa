/** The contracts of the stores, on MySQL and MariaDB. */
package io.cairn.server.storage;
