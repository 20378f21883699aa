package io.cairn.server.compatibility;

import org.junit.jupiter.api.Tag;

/** Generation 3, over TLS on both sides. */
@Tag("full")
class NacosTls3IT extends TlsScenarios {}
