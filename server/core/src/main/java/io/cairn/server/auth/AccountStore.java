package io.cairn.server.auth;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Keeps the accounts, in the tables of Nacos and some of Cairn's own. Thread-safe. */
public interface AccountStore {

    /**
     * All accounts. Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when the store cannot be reached
     */
    AccountRows load();

    /**
     * Makes the changes and records them, all in one transaction, or none of them when the first is not
     * {@link AccountChange.Outcome#DONE}. Never blocks.
     *
     * @return the outcome of the first change
     */
    CompletionStage<AccountChange.Outcome> apply(List<AccountChange> changes, AuditRecord record);
}
