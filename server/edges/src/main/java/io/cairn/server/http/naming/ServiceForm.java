package io.cairn.server.http.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Action;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Right;

/** The forms and rights of requests that name a service. The right needs the service; the action reads the other parameters. */
public final class ServiceForm {

    public static final Form<ServiceKey> SERVICE = Form.of(
                    NamingParameters.SERVICE_NAME.required(),
                    NamingParameters.GROUP_NAME,
                    NamingParameters.NAMESPACE_ID)
            .as(NamingParameters::service);

    /** An instance of a service. */
    public static final Form<ServiceKey> INSTANCE = SERVICE.and(
            NamingParameters.IP.required(),
            NamingParameters.PORT.required(),
            NamingParameters.CLUSTER_NAME,
            NamingParameters.CLUSTER);

    public static final Right<ServiceKey> READ = Right.service(Action.READ, service -> service);

    public static final Right<ServiceKey> WRITE = Right.service(Action.WRITE, service -> service);

    private ServiceForm() {}
}
