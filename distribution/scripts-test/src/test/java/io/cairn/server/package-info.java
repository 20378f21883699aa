/** A replacement of the packed server. */
package io.cairn.server;
