package io.cairn.server.http.access;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Narrows and cuts lists of accounts as the requests ask. */
final class AccountLists {

    private static final int MAX_PAGE = 500;

    private AccountLists() {}

    /** A page in the words of all versions. */
    static <T> Map<String, Object> page(List<T> all, HttpRequest request, Function<T, Map<String, Object>> row) {
        int number = Math.max(1, number(request, "pageNo", 1));
        int size = Math.min(MAX_PAGE, Math.max(1, number(request, "pageSize", 100)));
        List<Map<String, Object>> items = all.stream()
                .skip((long) (number - 1) * size)
                .limit(size)
                .map(row)
                .toList();
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("totalCount", all.size());
        page.put("pageNumber", number);
        page.put("pagesAvailable", (all.size() + size - 1) / size);
        page.put("pageItems", items);
        return page;
    }

    static int number(HttpRequest request, String name, int ifAbsent) {
        String text = request.parameter(name);
        if (text == null || text.isBlank()) {
            return ifAbsent;
        }
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, name + ": '" + text + "' (expected: a whole number)", e);
        }
    }

    /** Whether the value is asked for: all when nothing is, else the same text, or with {@code search=blur} one like it. */
    static boolean matches(HttpRequest request, String parameter, String value) {
        String wanted = request.parameter(parameter);
        if (wanted == null || wanted.isBlank()) {
            return true;
        }
        return "blur".equals(request.parameter("search")) ? like(wanted, value) : wanted.equals(value);
    }

    private static boolean like(String wanted, @Nullable String value) {
        if (value == null) {
            return false;
        }
        int from = 0;
        boolean anchored = !wanted.startsWith("*");
        String[] parts = wanted.split("\\*", -1);
        for (int i = 0; i < parts.length; i++) {
            int at = value.indexOf(parts[i], from);
            if (at < 0 || i == 0 && anchored && at != 0) {
                return false;
            }
            from = at + parts[i].length();
        }
        String last = parts[parts.length - 1];
        return last.isEmpty() || value.endsWith(last) && value.length() >= from;
    }
}
