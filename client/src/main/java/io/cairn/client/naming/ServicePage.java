package io.cairn.client.naming;

import java.util.List;

/**
 * Part of a list of services. Immutable and thread-safe.
 *
 * @param names of the services on this page, in the server's order
 * @param total how many services all pages have together
 */
public record ServicePage(List<String> names, int total) {

    public ServicePage {
        names = List.copyOf(names);
    }
}
