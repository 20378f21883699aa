package io.cairn.server.rpc.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireError;
import io.cairn.api.wire.WireResponse;
import io.cairn.api.wire.naming.InstanceFields;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.naming.NamingCheck;
import org.jspecify.annotations.Nullable;

/**
 * Converts requests to services and instances, and failures to answers. Refusals of the parameter check have the answer type of the
 * request, all others are an {@code ErrorResponse} with both codes equal.
 */
final class NamingRequests {

    private static final String CHECKED = "Param check invalid:";
    private static final String NO_SERVICE_NAME = "Param 'serviceName' is illegal, serviceName is blank";

    private NamingRequests() {}

    /** @throws CairnException {@code INVALID_PARAMETER} for a missing or illegal name */
    static ServiceKey service(ServiceName spelled) {
        String name = spelled.serviceName();
        String group = spelled.groupName();
        int separator = name == null ? -1 : name.indexOf(NamingWire.SEPARATOR);
        if (name != null && separator > 0) {
            // The Node SDK joins the two.
            String joined = name.substring(0, separator);
            if (group == null || group.isBlank() || group.equals(joined)) {
                group = joined;
                name = name.substring(separator + NamingWire.SEPARATOR.length());
            }
        }
        check(name, group, spelled.namespace());
        if (name == null || name.isBlank()) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, NO_SERVICE_NAME);
        }
        return new ServiceKey(Namespace.ofNullable(spelled.namespace()), orDefault(group), name);
    }

    /** As {@link #service}, for a whole group. */
    static ServiceKey anyOf(ServiceName spelled) {
        check(null, spelled.groupName(), spelled.namespace());
        return new ServiceKey(Namespace.ofNullable(spelled.namespace()), orDefault(spelled.groupName()), "*");
    }

    private static void check(@Nullable String name, @Nullable String group, @Nullable String namespace) {
        checked(() -> {
            ParameterCheck.config(null, group, namespace);
            NamingCheck.serviceName(name);
        });
    }

    private static String orDefault(@Nullable String group) {
        return group == null || group.isBlank() ? ServiceKey.DEFAULT_GROUP : group;
    }

    /** @throws CairnException {@code INVALID_PARAMETER} for illegal names */
    static String clusters(@Nullable String clusters) {
        checked(() -> NamingCheck.clusters(clusters));
        return clusters == null ? "" : clusters;
    }

    static void check(InstanceFields fields, int maxMetadata) {
        checked(() -> {
            NamingCheck.ip(fields.ip());
            NamingCheck.port(fields.port());
            NamingCheck.clusters(fields.clusterName());
            NamingCheck.metadata(fields.metadata(), maxMetadata);
        });
    }

    static Instance instance(InstanceFields fields, boolean ephemeral) {
        InstanceKey key = key(fields);
        if (key == null) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "Param 'ip' is required.");
        }
        NamingCheck.weightOfSdk(fields.weight());
        String id = fields.instanceId();
        Instance instance = new Instance(
                key,
                fields.weight(),
                fields.healthy(),
                fields.enabled(),
                ephemeral,
                fields.metadata(),
                id == null || id.isBlank() ? null : id);
        NamingCheck.registration(instance);
        return instance;
    }

    /** Null without an address. */
    static @Nullable InstanceKey key(InstanceFields fields) {
        String ip = fields.ip();
        String cluster = fields.clusterName();
        return ip == null || ip.isBlank()
                ? null
                : new InstanceKey(
                        ip,
                        fields.port(),
                        cluster == null || cluster.isBlank() ? InstanceKey.DEFAULT_CLUSTER : cluster);
    }

    private static void checked(Runnable check) {
        try {
            check.run();
        } catch (CairnException e) {
            throw new CairnException(e.code(), CHECKED + e.text(), e);
        }
    }

    static CairnException unsupported(@Nullable String type) {
        return new CairnException(ErrorCode.INVALID_PARAMETER, "Unsupported request type " + type);
    }

    static Payload refused(String responseType, CairnException failure, WireResponse.@Nullable FieldsOfType fields) {
        String text = failure.text();
        if (text.startsWith(CHECKED)) {
            return WireResponse.failed(responseType, WireError.INVALID_PARAMETER, text, fields);
        }
        if (text.equals(NO_SERVICE_NAME)) {
            return WireResponse.handlerError(WireError.SERVER_ERROR, text);
        }
        return switch (failure.code()) {
            // As a refusal by Nacos's limits; after an ErrorResponse a Java client counts its connection as unhealthy.
            case BUSY, LIMIT_EXCEEDED -> WireResponse.failed(responseType, errorCode(failure.code()), text, fields);
            default -> WireResponse.handlerError(errorCode(failure.code()), text);
        };
    }

    static int errorCode(ErrorCode code) {
        return switch (code) {
            case INVALID_PARAMETER -> WireError.INVALID_PARAMETER;
            case NOT_FOUND -> WireError.NOT_FOUND;
            case BUSY, LIMIT_EXCEEDED -> WireError.OVER_THRESHOLD;
            case UNSUPPORTED -> WireError.NOT_IMPLEMENTED;
            case CONFLICT, UNAVAILABLE, BEHIND, INTERNAL -> WireError.SERVER_ERROR;
        };
    }
}
