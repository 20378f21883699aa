/** The views: the resources that each kind of client gets, at one revision, and the responses with them. */
@NullMarked
package io.cairn.server.xds.view;

import org.jspecify.annotations.NullMarked;
