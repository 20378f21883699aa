package io.cairn.client.naming;

import java.util.List;

/**
 * @param names in the server's order
 * @param total the number of services of all pages
 */
public record ServicePage(List<String> names, int total) {

    public ServicePage {
        names = List.copyOf(names);
    }
}
