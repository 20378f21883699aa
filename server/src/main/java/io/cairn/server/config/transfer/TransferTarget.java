package io.cairn.server.config.transfer;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.ChangedBy;

/** Where configurations are to go, and what to do with those that are there already. */
public record TransferTarget(Namespace namespace, ConflictPolicy policy, ChangedBy by) {}
