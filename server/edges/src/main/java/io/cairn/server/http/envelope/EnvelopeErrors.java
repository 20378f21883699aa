package io.cairn.server.http.envelope;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.CapacityException;
import io.cairn.server.config.GrayLimitException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.naming.NamingException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.function.BiFunction;

/** Words the failures of versions with an envelope. */
public final class EnvelopeErrors implements HttpErrors {

    private static final String SINGLE = "Required request parameter '%s' for method parameter type %s is not present";

    private final Envelope envelope;
    private final BiFunction<HttpRequest, String, HttpResponse> wrongMethod;
    private final String missing;
    private final Set<String> single;
    private final boolean conflictIsFailure;

    /** @param wrongMethod answers a method that the path lacks; its second argument has the allowed methods */
    public EnvelopeErrors(Envelope envelope, BiFunction<HttpRequest, String, HttpResponse> wrongMethod) {
        this(envelope, wrongMethod, "Required parameter '%s' type %s is not present", Set.of(), false);
    }

    private EnvelopeErrors(
            Envelope envelope,
            BiFunction<HttpRequest, String, HttpResponse> wrongMethod,
            String missing,
            Set<String> single,
            boolean conflictIsFailure) {
        this.envelope = envelope;
        this.wrongMethod = wrongMethod;
        this.missing = missing;
        this.single = single;
        this.conflictIsFailure = conflictIsFailure;
    }

    /** For endpoints where Nacos reads a parameter by itself and not as part of a form. */
    public EnvelopeErrors forSingleParameters() {
        return new EnvelopeErrors(envelope, wrongMethod, SINGLE, single, conflictIsFailure);
    }

    /** As {@link #forSingleParameters()} for these parameters, and as a form for the others. */
    public EnvelopeErrors forSingleParameters(String... names) {
        return new EnvelopeErrors(envelope, wrongMethod, missing, Set.of(names), conflictIsFailure);
    }

    /** For publishes, where an unexpected content is a server failure (500). */
    public EnvelopeErrors forPublishing() {
        return new EnvelopeErrors(envelope, wrongMethod, missing, single, true);
    }

    /** Uses another text, with placeholders for name and type, for missing parameters. */
    public EnvelopeErrors withMissingText(String words) {
        return new EnvelopeErrors(envelope, wrongMethod, words, single, conflictIsFailure);
    }

    @Override
    public HttpResponse failed(HttpRequest request, CairnException failure) {
        if (failure instanceof ParameterException parameter) {
            return switch (parameter.problem()) {
                case MISSING ->
                    envelope.failure(
                            400,
                            DetailCode.PARAMETER_MISSING,
                            (single.contains(parameter.parameter()) ? SINGLE : missing)
                                    .formatted(parameter.parameter(), type(parameter.parameter())));
                // The check of names comes before all versions and has no envelope.
                case REFUSED ->
                    HttpResponse.status(400)
                            .notCached()
                            .body((failure.text() + "\r\n").getBytes(StandardCharsets.UTF_8));
                case NOT_A_NUMBER ->
                    envelope.failure(400, DetailCode.PARAMETER_INVALID, parameter.parameter() + ": " + failure.text());
            };
        }
        if (failure instanceof NamingException naming) {
            return envelope.failure(400, code(naming.fault()), failure.text());
        }
        if (failure instanceof CapacityException over) {
            return envelope.failure(400, code(over.limit()), over.text());
        }
        if (failure instanceof GrayLimitException) {
            return envelope.failure(400, DetailCode.TOO_MANY_GRAYS, failure.text());
        }
        ErrorCode kind = failure.code();
        int status = conflictIsFailure && kind == ErrorCode.CONFLICT ? 500 : ContainerErrors.status(kind);
        return envelope.failure(status, code(kind), failure.text());
    }

    private static DetailCode code(CapacityException.Limit limit) {
        return switch (limit) {
            case CLUSTER_QUOTA -> DetailCode.QUOTA_REACHED;
            case GROUP_QUOTA -> DetailCode.GROUP_QUOTA_REACHED;
            case NAMESPACE_QUOTA -> DetailCode.NAMESPACE_QUOTA_REACHED;
            case SIZE -> DetailCode.SIZE_OVER_LIMIT;
        };
    }

    /** The type that Nacos has for a parameter. */
    private static String type(String parameter) {
        return switch (parameter) {
            case "port", "checkPort" -> "Integer";
            case "healthy", "enabled", "useInstancePort4Check" -> "Boolean";
            case "pageNo", "pageSize" -> "int";
            case "nid", "id" -> "Long";
            case "ids" -> "List";
            default -> "String";
        };
    }

    private static DetailCode code(NamingException.Fault fault) {
        return switch (fault) {
            case MALFORMED_SERVICE_NAME -> DetailCode.SERVICE_NAME_ERROR;
            case BEAT_FORMAT -> DetailCode.PARAMETER_INVALID;
            case METADATA_FORMAT -> DetailCode.INSTANCE_METADATA_ERROR;
            case WEIGHT -> DetailCode.WEIGHT_ERROR;
            case SELECTOR -> DetailCode.SELECTOR_ERROR;
            case INSTANCE, INSTANCE_SERVICE_ABSENT -> DetailCode.INSTANCE_ERROR;
            case OTHER_KIND, HEALTH_IS_CHECKED -> DetailCode.SERVER_ERROR;
            case SERVICE_ABSENT -> DetailCode.SERVICE_NOT_FOUND;
            case SERVICE_EXISTS -> DetailCode.SERVICE_EXISTS;
            case SERVICE_NOT_EMPTY -> DetailCode.SERVICE_NOT_REMOVED;
        };
    }

    private static DetailCode code(ErrorCode kind) {
        return switch (kind) {
            case INVALID_PARAMETER -> DetailCode.PARAMETER_INVALID;
            case NOT_FOUND -> DetailCode.RESOURCE_NOT_FOUND;
            case CONFLICT -> DetailCode.RESOURCE_CONFLICT;
            case LIMIT_EXCEEDED -> DetailCode.QUOTA_REACHED;
            case UNAVAILABLE, BEHIND -> DetailCode.DATA_ACCESS_ERROR;
            case UNSUPPORTED -> DetailCode.FUNCTION_DISABLED;
            case BUSY, INTERNAL -> DetailCode.SERVER_ERROR;
        };
    }

    @Override
    public HttpResponse wrongMethod(HttpRequest request, String allowed) {
        return wrongMethod.apply(request, allowed);
    }
}
