package io.cairn.server.http.route;

/** A component that is written as a JSON array, although it is no collection. */
public interface ArrayValue {}
