package io.cairn.server.http.naming;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionStage;

/** The endpoints of services, in the words of one version. */
public final class ServiceEndpoints {

    private static final Form<ServiceKey> SETTINGS = ServiceForm.SERVICE.and(
            NamingParameters.PROTECT_THRESHOLD, NamingParameters.METADATA, NamingParameters.SELECTOR);
    private static final Parameter<Boolean> EPHEMERAL = Parameter.flag(
                    "ephemeral", "Whether the instances of the service end with their clients")
            .orElse(false);

    public static final Parameter<Boolean> AGGREGATION = Parameter.flag(
                    "aggregation", "Lists those of all nodes; of this node otherwise")
            .orElse(true);

    public static final Operation<ServiceKey> CREATE = Operation.of(SETTINGS.and(EPHEMERAL))
            .needs(ServiceForm.WRITE)
            .answers("string")
            .says("Creates a service");

    public static final Operation<ServiceKey> CREATE_PERSISTENT =
            Operation.of(SETTINGS).needs(ServiceForm.WRITE).answers("string").says("Creates a persistent service");

    public static final Operation<ServiceKey> UPDATE =
            Operation.of(SETTINGS).needs(ServiceForm.WRITE).answers("string").says("Changes the settings of a service");

    public static final Operation<ServiceKey> REMOVE = Operation.of(ServiceForm.SERVICE)
            .needs(ServiceForm.WRITE)
            .answers("string")
            .says("Deletes a service without instances");

    public static final Operation<ServiceKey> UPDATE_CLUSTER = Operation.of(
                    ServiceForm.SERVICE.and(ServiceActions.CLUSTER))
            .needs(ServiceForm.WRITE)
            .answers("string")
            .says("Sets the health check of a cluster");

    public static final Operation<HttpRequest> SELECTOR_TYPES = Operation.of(Form.NONE)
            .needs(Right.known())
            .answers(Answer.listOf("string"))
            .says("Lists the kinds of selectors");

    /** The kinds of selectors as a JSON array. */
    public static final String TYPES = "[\"label\",\"none\"]";

    private final ServiceActions actions;
    private final ResponseWording wording;
    private final CompletionStage<HttpResponse> types;

    public ServiceEndpoints(ServiceActions actions, ResponseWording wording) {
        this.actions = actions;
        this.wording = wording;
        this.types = wording.data(TYPES.getBytes(StandardCharsets.UTF_8));
    }

    public static Operation<ServiceKey> show(Class<? extends Record> shape) {
        return show(ServiceForm.SERVICE, shape);
    }

    public static Operation<ServiceKey> show(Form<ServiceKey> form, Class<? extends Record> shape) {
        return Operation.of(form).needs(ServiceForm.READ).answers(shape).says("Shows a service");
    }

    /** Lists the names of the services of a group, as this record. */
    public static Operation<HttpRequest> listNames(PageParameters page, Class<? extends Record> shape) {
        return Operation.of(Form.of(NamingParameters.NAMESPACE_ID, NamingParameters.GROUP_NAME)
                        .and(page.both()))
                .needs(readSome())
                .answers(shape)
                .says("Lists the names of a group's services");
    }

    /** The right to read some services of the namespace; lists leave out the others. */
    public static Right<HttpRequest> readSome() {
        return Right.some(Action.READ, ResourceType.NAMING, NamingParameters.NAMESPACE_ID);
    }

    /** Lists the subscribers of a service. */
    public static Operation<ServiceKey> subscribers(PageParameters page, Answer answer) {
        return Operation.of(ServiceForm.SERVICE.and(page.both()).and(AGGREGATION))
                .needs(ServiceForm.READ)
                .answers(answer)
                .ofAllNodes()
                .says("Lists the subscribers of a service");
    }

    public CompletionStage<HttpResponse> create(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.create(service, request, EPHEMERAL.of(request)));
    }

    public CompletionStage<HttpResponse> createPersistent(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.create(service, request, false));
    }

    public CompletionStage<HttpResponse> update(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.update(service, request));
    }

    public CompletionStage<HttpResponse> remove(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.remove(service, RequestCaller.of(request)));
    }

    public CompletionStage<HttpResponse> updateCluster(ServiceKey service, HttpRequest request) {
        return wording.ok(actions.updateCluster(service, request));
    }

    public CompletionStage<HttpResponse> selectorTypes(HttpRequest request) {
        return types;
    }
}
