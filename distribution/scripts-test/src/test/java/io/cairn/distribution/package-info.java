/** Tests of the installation as a user has it: its scripts, its archives and its packed server. */
package io.cairn.distribution;
