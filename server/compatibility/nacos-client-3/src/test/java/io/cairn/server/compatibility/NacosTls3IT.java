package io.cairn.server.compatibility;

/** Generation 3, over TLS on both sides. */
class NacosTls3IT extends TlsScenarios {}
