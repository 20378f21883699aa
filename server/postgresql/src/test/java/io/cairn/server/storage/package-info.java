/** The contracts of the stores, on PostgreSQL. */
package io.cairn.server.storage;
