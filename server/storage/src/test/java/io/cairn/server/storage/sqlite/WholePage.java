package io.cairn.server.storage.sqlite;

import io.cairn.server.admission.AnswerMemory;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.config.RowPage;
import java.util.List;

/** A page with all of its rows. */
public record WholePage<T>(long totalCount, int number, int pagesAvailable, List<T> items) {

    /** Memory for rows of any size. */
    public static final MemoryLease ANY = AnswerMemory.unlimited().lease();

    public static <T> WholePage<T> of(RowPage<T> page) {
        return new WholePage<>(
                page.totalCount(),
                page.number(),
                page.pagesAvailable(),
                page.rows().all(ANY));
    }
}
