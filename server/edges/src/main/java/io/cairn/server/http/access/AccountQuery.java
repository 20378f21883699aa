package io.cairn.server.http.access;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.PageRequest;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Parameter;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request for a page of users, roles, rights or tokens.
 *
 * @param username null or blank for all
 * @param role null or blank for all
 * @param isPattern whether a star in a name stands for any text
 */
public record AccountQuery(
        @Nullable String username, @Nullable String role, boolean isPattern, int pageNumber, int pageSize) {

    /** The page. */
    public static final Parameter<Integer> PAGE_NO = Parameter.of(
                    "pageNo", "integer", "The page, from 1 on", AccountQuery::number)
            .orElse(1);

    static final Parameter<Integer> PAGE_SIZE = Parameter.of(
                    "pageSize", "integer", "The most entries on a page", AccountQuery::number)
            .orElse(100);
    private static final Parameter<String> SEARCH =
            Parameter.exact("search", "With blur, names are patterns in which * stands for any text");
    private static final Parameter<String> USERNAME = Parameter.text("username", "The name of users; all when absent");
    private static final Parameter<String> ROLE = Parameter.text("role", "The name of roles; all when absent");

    private static final Form<HttpRequest> LIST =
            Form.of(SEARCH, PAGE_NO, PAGE_SIZE, Parameter.ignored("accurate", "boolean"));

    static final Form<AccountQuery> USERS =
            LIST.and(USERNAME).as(request -> read(request, USERNAME.orNull(request), null));
    static final Form<AccountQuery> ROLES =
            LIST.and(ROLE, USERNAME).as(request -> read(request, USERNAME.orNull(request), ROLE.orNull(request)));
    static final Form<AccountQuery> PERMISSIONS =
            LIST.and(ROLE, AccountParameters.RESOURCE, AccountParameters.ACTION).as(AccountQuery::permissions);
    static final Form<AccountQuery> PAGE = Form.of(PAGE_NO, PAGE_SIZE)
            .as(request -> new AccountQuery(null, null, false, page(request), size(request)));

    private static final int MAX_SIZE = 10_000;

    public static AccountQuery permissions(HttpRequest request) {
        return read(request, null, ROLE.orNull(request));
    }

    private static AccountQuery read(HttpRequest request, @Nullable String username, @Nullable String role) {
        return new AccountQuery(username, role, "blur".equals(SEARCH.orNull(request)), page(request), size(request));
    }

    static int page(HttpRequest request) {
        return Math.max(1, PAGE_NO.of(request));
    }

    static int size(HttpRequest request) {
        return Math.max(1, PAGE_SIZE.of(request));
    }

    /** A whole number, in the words of these endpoints for another text. */
    static int number(String text, String name) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER, name + ": '" + text + "' (expected: a whole number)", e);
        }
    }

    boolean hasUser(@Nullable String name) {
        return matches(username, name);
    }

    boolean hasRole(@Nullable String name) {
        return matches(role, name);
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for a page beyond the size of a response */
    static void mustFit(int pageNumber, int pageSize, long total) {
        new PageRequest(pageNumber, pageSize).mustFit(MAX_SIZE, total, "entries");
    }

    /**
     * The entries on the page.
     *
     * @throws CairnException {@code INVALID_PARAMETER} for a page beyond the size of a response
     */
    <E, T> PageBody<T> cut(List<E> all, Function<E, T> entry) {
        mustFit(pageNumber, pageSize, all.size());
        return PageBody.cut(all, pageNumber, pageSize, entry);
    }

    private boolean matches(@Nullable String wanted, @Nullable String value) {
        if (wanted == null || wanted.isBlank()) {
            return true;
        }
        return isPattern ? like(wanted, value) : wanted.equals(value);
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
