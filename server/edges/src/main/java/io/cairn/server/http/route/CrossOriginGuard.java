package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Detects requests that a foreign page makes a browser send, with the browser's access: its place on this machine, or its
 * certificate. Only browsers name the origin of a page, and no page can change that; requests without an origin pass.
 */
public final class CrossOriginGuard {

    private static final String SCHEME_END = "://";
    /** Names below these lead to no host outside of a machine or private network. */
    private static final Set<String> PRIVATE_ENDS = Set.of(".localhost", ".internal");

    private final boolean namesCount;
    private final Set<String> trusted;

    /**
     * @param namesCount whether a request must use a host name that no stranger can give the server
     * @param trustedHosts further names of the server, {@code *} for any; scheme and port do not count
     */
    public CrossOriginGuard(boolean namesCount, Set<String> trustedHosts) {
        this.namesCount = namesCount;
        this.trusted = trustedHosts.stream().map(CrossOriginGuard::given).collect(Collectors.toUnmodifiableSet());
    }

    /** Why the request is refused, for its sender; else null. */
    @Nullable
    String objection(HttpRequest request) {
        String host = request.header("host");
        if (namesCount && host != null && !isNumeric(host) && !isOurs(nameOf(host))) {
            return "Host '" + host
                    + "' is not a trusted host name, and this request needs no login (expected: "
                    + "localhost, an IP address, a name without a dot, or one in cairn.auth.trusted-hosts)";
        }
        return isForeign(request, host)
                ? "a page of another site sent this request, and it has no login (expected: the server's own pages, "
                        + "or pages of a host in cairn.auth.trusted-hosts)"
                : null;
    }

    private boolean isForeign(HttpRequest request, @Nullable String host) {
        String origin = request.header("origin");
        String site = request.header("sec-fetch-site");
        if (site == null ? origin == null : site.equals("same-origin") || site.equals("none")) {
            return false;
        }
        if (origin == null) {
            // A followed link: the page of the link cannot read the answer.
            return !(isRead(request) && "navigate".equals(request.header("sec-fetch-mode")));
        }
        int start = origin.indexOf(SCHEME_END);
        if (start < 0) {
            return true;
        }
        String authority = origin.substring(start + SCHEME_END.length());
        boolean sameHost = site == null && host != null && isSame(authority, host, origin.startsWith("https:"));
        return !sameHost && !isTrusted(nameOf(authority));
    }

    private static boolean isRead(HttpRequest request) {
        return request.method().equals("GET") || request.method().equals("HEAD");
    }

    /** An origin omits the default port of its scheme; a proxy may add it to the host. */
    private static boolean isSame(String authority, String host, boolean isEncrypted) {
        return host.equalsIgnoreCase(authority) || host.equalsIgnoreCase(authority + (isEncrypted ? ":443" : ":80"));
    }

    /**
     * Whether it is an IPv4 address, perhaps with a port: no domain ends in a number. Runs for each request, so it allocates
     * nothing.
     */
    private static boolean isNumeric(String host) {
        int dots = 0;
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (c == '.') {
                dots++;
            } else if ((c < '0' || c > '9') && c != ':') {
                return false;
            }
        }
        return dots == 3;
    }

    /** A page whose name changed its address (DNS rebinding) never has such a name. */
    private boolean isOurs(String name) {
        return name.indexOf('.') < 0
                || name.startsWith("[")
                || PRIVATE_ENDS.stream().anyMatch(name::endsWith)
                || isTrusted(name);
    }

    private boolean isTrusted(String name) {
        return trusted.contains(name) || trusted.contains("*");
    }

    /** The name in a setting, perhaps written as an origin. */
    private static String given(String host) {
        String text = host.strip();
        int start = text.indexOf(SCHEME_END);
        String authority = start < 0 ? text : text.substring(start + SCHEME_END.length());
        int end = authority.indexOf('/');
        return nameOf(end < 0 ? authority : authority.substring(0, end));
    }

    /** The host without port, in lower case, without a final dot. */
    private static String nameOf(String authority) {
        int colon = authority.lastIndexOf(':');
        String host = colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        return name.toLowerCase(Locale.ROOT);
    }
}
