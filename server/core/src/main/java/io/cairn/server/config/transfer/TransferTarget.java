package io.cairn.server.config.transfer;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.Author;

/**
 * Where configurations are to go, and what to do with those that are there already.
 *
 * @param validate whether a content with which something is wrong keeps all from being stored, whatever is set
 */
public record TransferTarget(Namespace namespace, ConflictPolicy policy, boolean validate, Author by) {}
