package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;

/**
 * What somebody subscribes to.
 *
 * @param clusters names separated by commas, as the client spells them; empty for all
 */
public record Selection(ServiceKey service, String clusters) {}
