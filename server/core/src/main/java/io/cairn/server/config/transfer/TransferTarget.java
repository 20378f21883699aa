package io.cairn.server.config.transfer;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.Author;

/**
 * The target of configurations, and the treatment of those that exist already.
 *
 * @param validate whether one invalid content prevents the whole transfer, whatever the server's setting
 */
public record TransferTarget(Namespace namespace, ConflictPolicy policy, boolean validate, Author by) {}
