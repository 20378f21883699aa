package io.cairn.client.naming;

/**
 * Is told what becomes of a service: first all instances as added, then each change. Calls for one watch come one after
 * the other; changes that come while it is busy are told as one. What it throws is logged, and the next change is told
 * all the same.
 */
@FunctionalInterface
public interface ServiceListener {

    void onChange(ServiceChange change);
}
