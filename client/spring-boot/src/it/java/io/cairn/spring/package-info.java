/** Tests of the starter, run on each generation of Boot. */
package io.cairn.spring;
