/** The stand-in for the packed server. */
package io.cairn.server;
