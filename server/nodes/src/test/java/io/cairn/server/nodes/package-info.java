/** Tests of the processes that other tests use. */
package io.cairn.server.nodes;
