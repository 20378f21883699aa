package io.cairn.server.wiring;

import java.util.Collection;
import java.util.List;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.IncludeExcludeEndpointFilter;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;
import org.springframework.boot.actuate.endpoint.web.EndpointMediaTypes;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpointDiscoverer;
import org.springframework.context.ApplicationContext;

final class ActuatorEndpoints {

    private ActuatorEndpoints() {}

    static List<ExposableWebEndpoint> exposed(ApplicationContext context) {
        Collection<ExposableWebEndpoint> endpoints = new WebEndpointDiscoverer(
                        context,
                        context.getBean(ParameterValueMapper.class),
                        EndpointMediaTypes.DEFAULT,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(new IncludeExcludeEndpointFilter<>(
                                ExposableWebEndpoint.class,
                                context.getEnvironment(),
                                "management.endpoints.web.exposure",
                                "health")),
                        List.of())
                .getEndpoints();
        return List.copyOf(endpoints);
    }
}
