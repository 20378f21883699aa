package io.cairn.server.naming.registry;

import io.cairn.server.naming.label.AddressLabels;

/** The present labels of addresses. */
final class CurrentLabels {

    private volatile AddressLabels labels = AddressLabels.NONE;

    AddressLabels get() {
        return labels;
    }

    void set(AddressLabels now) {
        labels = now;
    }
}
