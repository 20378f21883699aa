package io.cairn.server.mysql;

import io.cairn.server.support.TwoServersContract;
import org.junit.jupiter.api.Tag;

@Tag("mysql")
class TwoServersOnMySqlIT extends TwoServersContract {

    @Override
    protected SharedDatabase empty() {
        return TestSchema.create(TwoServersOnMySqlIT.class);
    }
}
