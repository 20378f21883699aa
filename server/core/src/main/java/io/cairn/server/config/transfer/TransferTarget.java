package io.cairn.server.config.transfer;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.Author;

/**
 * The target, and the treatment of existing configurations.
 *
 * @param validate whether one invalid content refuses the whole transfer, whatever the server's setting
 */
public record TransferTarget(Namespace namespace, ConflictPolicy policy, boolean validate, Author by) {}
