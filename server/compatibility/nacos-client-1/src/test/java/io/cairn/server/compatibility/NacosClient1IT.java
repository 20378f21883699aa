package io.cairn.server.compatibility;

import org.junit.jupiter.api.Nested;

/** Generation 1: HTTP with long polling. It has no compare-and-set. */
class NacosClient1IT {
    @Nested
    class Reading extends ReadingScenarios {
        /** As a form it grows, and a form may have 2 MiB. */
        @Override
        int largeContentChars() {
            return 500_000;
        }
    }

    @Nested
    class Listening extends ListeningScenarios {}

    @Nested
    class Restart extends RestartScenarios {
        /** It retries a refused poll without a pause until the time of that poll is over, and is UP until then. */
        @Override
        boolean noticesThatTheServerIsDown() {
            return false;
        }
    }

    @Nested
    class Login extends LoginScenarios {}
}
