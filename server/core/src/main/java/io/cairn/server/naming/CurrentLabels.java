package io.cairn.server.naming;

import io.cairn.server.naming.label.AddressLabels;

/** The labels that addresses have at present. Thread-safe. */
final class CurrentLabels {

    private volatile AddressLabels labels = AddressLabels.NONE;

    AddressLabels get() {
        return labels;
    }

    void set(AddressLabels now) {
        labels = now;
    }
}
