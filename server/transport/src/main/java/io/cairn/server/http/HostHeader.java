package io.cairn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The host that a request over HTTP/1 names. Of two hosts, a proxy before this server may have judged the other one, so such a request is
 * refused. Requests of HTTP/1.0, such as those of the health checks of load balancers, may leave the host out (RFC 9112, section 3.2).
 */
final class HostHeader {

    /** Signs that a host and its port may have beside letters and digits: those of names and of IPv6 addresses. */
    private static final String SIGNS = "-._~%!$&'()*+;=:[]";

    private HostHeader() {}

    /** The fault of the host that a request names, or of its absence; null when there is none. */
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
