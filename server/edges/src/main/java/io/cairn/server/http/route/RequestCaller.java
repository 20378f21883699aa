package io.cairn.server.http.route;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.auth.TrustedProxies;
import io.cairn.server.http.HttpRequest;

/**
 * The caller of a request. The authorizer attaches the trusted proxies first, later the caller. So a request without a caller
 * allocates nothing.
 */
public final class RequestCaller {

    private RequestCaller() {}

    /** The established caller; it has unchecked rights without login. */
    public static Caller of(HttpRequest request) {
        if (request.attachment() instanceof Caller known) {
            return known;
        }
        Caller unchecked = new Caller(Principal.UNCHECKED, address(request));
        request.attach(unchecked);
        return unchecked;
    }

    /** The configurations of a namespace that the caller may see. */
    public static ReadScope readableConfigs(HttpRequest request, Namespace namespace) {
        return of(request).principal().readable(namespace, ResourceType.CONFIG);
    }

    /** The services of a namespace that the caller may see. */
    public static ReadScope readableServices(HttpRequest request, Namespace namespace) {
        return of(request).principal().readable(namespace, ResourceType.NAMING);
    }

    /** The address of the connection, or the address reported by a trusted proxy. */
    static String address(HttpRequest request) {
        return request.attachment() instanceof TrustedProxies trusted
                ? trusted.addressOf(request.remoteIp(), request.header("X-Forwarded-For"))
                : request.remoteIp();
    }

    static void behind(HttpRequest request, TrustedProxies proxies) {
        request.attach(proxies);
    }

    static void is(HttpRequest request, Caller caller) {
        request.attach(caller);
    }
}
