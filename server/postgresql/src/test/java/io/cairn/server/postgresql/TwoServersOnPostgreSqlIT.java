package io.cairn.server.postgresql;

import io.cairn.server.support.TwoServersContract;

class TwoServersOnPostgreSqlIT extends TwoServersContract {

    @Override
    protected SharedDatabase empty() {
        return TestSchema.create(TwoServersOnPostgreSqlIT.class);
    }
}
