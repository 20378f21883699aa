package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;

/** @param clusters comma-separated names in the client's form; empty for all */
public record Selection(ServiceKey service, String clusters) {}
