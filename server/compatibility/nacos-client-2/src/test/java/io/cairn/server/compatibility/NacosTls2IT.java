package io.cairn.server.compatibility;

/** Generation 2, over TLS on both sides. */
class NacosTls2IT extends TlsScenarios {}
