package io.cairn.server.compatibility;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 2: instances live as long as the gRPC connection, pushes come over it. */
@Execution(ExecutionMode.CONCURRENT)
class NacosNamingClient2IT {
    @Nested
    class Registration extends RegistrationScenarios {}

    @Nested
    class Subscription extends SubscriptionScenarios {}

    @Nested
    class Batch extends BatchScenarios {}

    @Nested
    class Persistent extends PersistentScenarios {}

    @Nested
    @StoredInPostgreSql
    class PersistentInPostgreSql extends PersistentScenarios {}

    @Nested
    class Liveness extends LivenessScenarios {}

    @Nested
    class Labels extends LabelScenarios {}

    @Nested
    class Restart extends NamingRestartScenarios {}
}
