package io.cairn.server.http.naming;

import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.envelope.Rows;
import java.util.ArrayList;
import java.util.List;

/**
 * @param number from 1 on
 * @param size the most entries
 */
public record Page(int number, int size) {

    public Page {
        number = Math.max(1, number);
        size = Math.max(0, size);
    }

    public <T> PageBody<T> shown(int total, Rows<T> items) {
        return new PageBody<>(total, number, pages(total), items);
    }

    public <T> List<T> of(Iterable<T> all) {
        List<T> shown = new ArrayList<>();
        long skip = (long) (number - 1) * size;
        for (T entry : all) {
            if (skip > 0) {
                skip--;
            } else if (shown.size() < size) {
                shown.add(entry);
            } else {
                break;
            }
        }
        return shown;
    }

    public int pages(int total) {
        return size == 0 ? 0 : (int) (((long) total + size - 1) / size);
    }
}
