package io.cairn.server.http.access;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Form;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request for one page of users, roles, rights or tokens.
 *
 * @param username the name of users; null or blank for all
 * @param role the name of roles; null or blank for all
 * @param isPattern whether the names are patterns, in which a star stands for any text
 */
public record AccountQuery(
        @Nullable String username, @Nullable String role, boolean isPattern, int pageNumber, int pageSize) {

    private static final String LIST = "search pageNo:integer pageSize:integer accurate:boolean ";

    static final Form<AccountQuery> USERS =
            Form.of(LIST + "username", request -> read(request, request.parameter("username"), null));
    static final Form<AccountQuery> ROLES = Form.of(
            LIST + "role username", request -> read(request, request.parameter("username"), request.parameter("role")));
    static final Form<AccountQuery> PERMISSIONS = Form.of(LIST + "role resource action", AccountQuery::permissions);
    static final Form<AccountQuery> TOKENS = Form.of(
            "pageNo:integer pageSize:integer",
            request -> new AccountQuery(null, null, false, page(request), size(request)));

    private static final int DEFAULT_SIZE = 100;
    private static final int MAX_SIZE = 500;

    /** A request for a page of rights. */
    public static AccountQuery permissions(HttpRequest request) {
        return read(request, null, request.parameter("role"));
    }

    private static AccountQuery read(HttpRequest request, @Nullable String username, @Nullable String role) {
        return new AccountQuery(
                username, role, "blur".equals(request.parameter("search")), page(request), size(request));
    }

    static int page(HttpRequest request) {
        return Math.max(1, number(request, "pageNo", 1));
    }

    static int size(HttpRequest request) {
        return Math.min(MAX_SIZE, Math.max(1, number(request, "pageSize", DEFAULT_SIZE)));
    }

    /** A whole number, or another where it is absent. */
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

    boolean hasUser(@Nullable String name) {
        return matches(username, name);
    }

    boolean hasRole(@Nullable String name) {
        return matches(role, name);
    }

    /** The entries on the page. */
    <E, T> PageBody<T> cut(List<E> all, Function<E, T> entry) {
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
