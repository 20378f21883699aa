package io.cairn.server.compatibility;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 2: gRPC. It leaves the namespace blank when it means the default one. */
@Execution(ExecutionMode.CONCURRENT)
class NacosClient2IT {
    @Nested
    class Reading extends ReadingScenarios {}

    @Nested
    class Cas extends CasScenarios {}

    @Nested
    @StoredInPostgreSql
    class ReadingFromPostgreSql extends ReadingScenarios {}

    @Nested
    @StoredInPostgreSql
    class CasInPostgreSql extends CasScenarios {}

    @Nested
    class Listening extends ListeningScenarios {}

    @Nested
    class LabelReleases extends LabelReleaseScenarios {}

    @Nested
    class HeldContents extends HeldContentScenarios {}

    @Nested
    class Restart extends RestartScenarios {}

    @Nested
    class LostListens extends LostListensScenarios {}

    @Nested
    class Login extends LoginScenarios {}
}
