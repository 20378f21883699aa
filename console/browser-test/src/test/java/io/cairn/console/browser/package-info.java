/** The web console as people use it: in a browser, against a real server. */
package io.cairn.console.browser;
