package io.cairn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Checks the host that a request over HTTP/1 names. Refuses two hosts, because a proxy before this server may have checked the
 * other one. Requests of HTTP/1.0, such as health checks of load balancers, may omit the host (RFC 9112, section 3.2).
 */
final class HostHeader {

    /** Signs of names and IPv6 addresses, beside letters and digits. */
    private static final String SIGNS = "-._~%!$&'()*+;=:[]";

    private HostHeader() {}

    /** The fault of a named or missing host, or null. */
    static @Nullable String fault(HttpRequest request) {
        Iterator<String> hosts = request.headers().valueStringIterator(HttpHeaderNames.HOST);
        if (!hosts.hasNext()) {
            return request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0
                    ? null
                    : "Host: none (expected: the name or address of this server)";
        }
        String host = hosts.next();
        if (hosts.hasNext()) {
            return "Host: '" + host + "' and '" + hosts.next() + "' (expected: one)";
        }
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            boolean isLetterOrDigit = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (!isLetterOrDigit && SIGNS.indexOf(c) < 0) {
                return "Host: '" + host + "' (expected: a name or an address, and a port)";
            }
        }
        return null;
    }
}
