package io.cairn.server.http.route;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.auth.TrustedProxies;
import io.cairn.server.http.HttpRequest;

/**
 * The caller of a request. The gate attaches it to the call: first the proxies that it trusts, then the caller once it is
 * known. So a request that needs no caller allocates none.
 */
public final class RequestCaller {

    private RequestCaller() {}

    /** The caller as the gate has established it; one with unchecked rights where no login is asked for. */
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

    /** The address of the caller: the connection's, or the one that a trusted proxy reports. */
    static String address(HttpRequest request) {
        return request.attachment() instanceof TrustedProxies trusted
                ? trusted.addressOf(request.remoteIp(), request.header("X-Forwarded-For"))
                : request.remoteIp();
    }

    /** Trusts these proxies for the address of the caller. */
    static void behind(HttpRequest request, TrustedProxies proxies) {
        request.attach(proxies);
    }

    /** Sets the caller. */
    static void is(HttpRequest request, Caller caller) {
        request.attach(caller);
    }
}
