package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;

/**
 * The object of a subscription: a service and some of its clusters.
 *
 * @param clusters names separated by commas, as the client spells them; empty for all
 */
public record Selection(ServiceKey service, String clusters) {}
