package io.cairn.server.http.config;

import io.cairn.server.config.Page;
import java.util.List;

/** A part of a longer list, with its number and the number of all entries and pages. */
public record ConfigPage<T>(long totalCount, int pageNumber, int pagesAvailable, List<T> pageItems) {

    public ConfigPage {
        pageItems = List.copyOf(pageItems);
    }

    public static <T> ConfigPage<T> of(Page<T> page) {
        return new ConfigPage<>(page.totalCount(), page.number(), page.pagesAvailable(), page.items());
    }
}
