package io.cairn.server.http.route;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.auth.Rows;
import io.cairn.server.auth.TrustedProxies;
import io.cairn.server.http.HttpCall;

/**
 * The caller of a request. The gate attaches it to the call: first the proxies that it trusts, then the caller once it is
 * known. So a request that needs no caller allocates none.
 */
public final class RequestCaller {

    private RequestCaller() {}

    /** The caller as the gate has established it; one with unchecked rights where no login is asked for. */
    public static Caller of(HttpCall call) {
        if (call.attachment() instanceof Caller known) {
            return known;
        }
        Caller unchecked = new Caller(Principal.UNCHECKED, address(call));
        call.attach(unchecked);
        return unchecked;
    }

    /** The configurations of a namespace that the caller may see. */
    public static Rows readableConfigs(HttpCall call, Namespace namespace) {
        return of(call).principal().readable(namespace, ResourceType.CONFIG);
    }

    /** The services of a namespace that the caller may see. */
    public static Rows readableServices(HttpCall call, Namespace namespace) {
        return of(call).principal().readable(namespace, ResourceType.NAMING);
    }

    /** The address of the caller: the connection's, or the one that a trusted proxy reports. */
    static String address(HttpCall call) {
        return call.attachment() instanceof TrustedProxies trusted
                ? trusted.addressOf(call.remoteIp(), call.header("X-Forwarded-For"))
                : call.remoteIp();
    }

    /** Trusts these proxies for the address of the caller. */
    static void behind(HttpCall call, TrustedProxies proxies) {
        call.attach(proxies);
    }

    /** Sets the caller. */
    static void is(HttpCall call, Caller caller) {
        call.attach(caller);
    }
}
