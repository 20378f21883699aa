package io.cairn.server.auth;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** Stores the accounts in Nacos's tables and some of Cairn's own. */
public interface AccountStore {

    /**
     * Blocks.
     *
     * @throws io.cairn.api.error.CairnException {@code UNAVAILABLE} when the store cannot be reached
     */
    AccountRows load();

    /**
     * Applies and records the changes in one transaction, if the first is {@link AccountChange.Outcome#DONE}. Never blocks.
     *
     * @return the outcome of the first change
     */
    CompletionStage<AccountChange.Outcome> apply(List<AccountChange> changes, AuditRecord record);
}
