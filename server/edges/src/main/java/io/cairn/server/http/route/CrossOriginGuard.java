package io.cairn.server.http.route;

import io.cairn.server.http.HttpRequest;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tells requests that a page of somebody else has a browser send, which carries along what the browser is let in for: that
 * it runs on this machine, or its certificate. Only browsers say where a page is from, and no page can change what they
 * say; other clients say nothing of it, and pass. Immutable.
 */
public final class CrossOriginGuard {

    private static final String SCHEME_END = "://";
    /** Names below these lead nowhere outside of a machine or a private network, so nobody's pages are there. */
    private static final Set<String> PRIVATE_ENDS = Set.of(".localhost", ".internal");

    private final boolean namesCount;
    private final Set<String> trusted;

    /**
     * @param namesCount whether a request must call the server by a name that no stranger can give it
     * @param trustedHosts more names that the server goes by, {@code *} for any; scheme and port do not count
     */
    public CrossOriginGuard(boolean namesCount, Set<String> trustedHosts) {
        this.namesCount = namesCount;
        this.trusted = trustedHosts.stream().map(CrossOriginGuard::given).collect(Collectors.toUnmodifiableSet());
    }

    /** Why the request is not taken on trust, in words for its sender; null when nothing speaks against it. */
    @Nullable
    String objection(HttpRequest request) {
        String host = request.header("host");
        if (namesCount && host != null && !isNumeric(host) && !isOurs(nameOf(host))) {
            return "Host '" + host
                    + "' is not a trusted host name, and this server has no logins (expected: "
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
            // Somebody follows a link: whoever made it sees nothing of the answer.
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

    /** An origin leaves out the port that its scheme has anyway; a proxy may add it to the host. */
    private static boolean isSame(String authority, String host, boolean isEncrypted) {
        return host.equalsIgnoreCase(authority) || host.equalsIgnoreCase(authority + (isEncrypted ? ":443" : ":80"));
    }

    /** An IPv4 address, with a port or without: no domain ends in a number. Each request asks this, so nothing is made. */
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

    /** The names of a page whose address leads here now and elsewhere before are never of these forms. */
    private boolean isOurs(String name) {
        return name.indexOf('.') < 0
                || name.startsWith("[")
                || PRIVATE_ENDS.stream().anyMatch(name::endsWith)
                || isTrusted(name);
    }

    private boolean isTrusted(String name) {
        return trusted.contains(name) || trusted.contains("*");
    }

    /** The name that a setting gives, perhaps as the origin that a browser shows. */
    private static String given(String host) {
        String text = host.strip();
        int start = text.indexOf(SCHEME_END);
        String authority = start < 0 ? text : text.substring(start + SCHEME_END.length());
        int end = authority.indexOf('/');
        return nameOf(end < 0 ? authority : authority.substring(0, end));
    }

    /** The host without its port, in lower case and without the dot that a full name may end with. */
    private static String nameOf(String authority) {
        int colon = authority.lastIndexOf(':');
        String host = colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        return name.toLowerCase(Locale.ROOT);
    }
}
