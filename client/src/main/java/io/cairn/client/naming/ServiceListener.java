package io.cairn.client.naming;

/**
 * Receives the changes of a subscribed service, first all instances as added. Calls for one watch never overlap, and changes
 * during a call are merged. The client logs exceptions and continues.
 */
@FunctionalInterface
public interface ServiceListener {

    void onChange(ServiceChange change);
}
