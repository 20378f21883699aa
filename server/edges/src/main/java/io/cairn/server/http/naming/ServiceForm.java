package io.cairn.server.http.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Action;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Right;

/**
 * The forms of requests that name a service, and the rights that they need. The service is read for the right; the action reads
 * the other parameters.
 */
public final class ServiceForm {

    /** The parameters of a page, for {@link Form#and}. */
    public static final String PAGE = "pageNo:integer pageSize:integer";

    /** A service. */
    public static final Form<ServiceKey> SERVICE =
            Form.of("serviceName! groupName namespaceId", NamingParameters::service);

    /** An instance of a service. */
    public static final Form<ServiceKey> INSTANCE = SERVICE.and("ip! port!:integer clusterName cluster");

    /** The right to read the service. */
    public static final Right<ServiceKey> READ = Right.service(Action.READ, service -> service);

    /** The right to change the service and its instances. */
    public static final Right<ServiceKey> WRITE = Right.service(Action.WRITE, service -> service);

    private ServiceForm() {}
}
