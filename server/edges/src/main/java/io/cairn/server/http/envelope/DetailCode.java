package io.cairn.server.http.envelope;

/** Codes and texts of failures, as clients and scripts know them. */
public enum DetailCode {
    SUCCESS(0, "success"),
    QUOTA_REACHED(5031, "cluster capacity reach quota"),
    GROUP_QUOTA_REACHED(5032, "group capacity reach quota"),
    NAMESPACE_QUOTA_REACHED(5033, "tenant capacity reach quota"),
    SIZE_OVER_LIMIT(5034, "config content size is over limit"),
    PARAMETER_MISSING(10000, "parameter missing"),
    ACCESS_DENIED(10001, "access denied"),
    DATA_ACCESS_ERROR(10002, "data access error"),
    PARAMETER_INVALID(20002, "parameter validate error"),
    MEDIA_TYPE_ERROR(20003, "MediaType Error"),
    RESOURCE_NOT_FOUND(20004, "resource not found"),
    RESOURCE_CONFLICT(20005, "resource conflict"),
    TOO_MANY_GRAYS(20010, "config gray version version over max count"),
    SERVICE_NAME_ERROR(21000, "service name error"),
    WEIGHT_ERROR(21001, "weight error"),
    INSTANCE_METADATA_ERROR(21002, "instance metadata error"),
    INSTANCE_NOT_FOUND(21003, "instance not found"),
    INSTANCE_ERROR(21004, "instance error"),
    SERVICE_METADATA_ERROR(21005, "service metadata error"),
    SELECTOR_ERROR(21006, "selector error"),
    SERVICE_EXISTS(21007, "service already exist"),
    SERVICE_NOT_FOUND(21008, "service not exist"),
    SERVICE_NOT_REMOVED(21009, "service delete failure"),
    HEALTH_MISSING(21010, "healthy param miss"),
    HEALTH_CHECK_RUNNING(21011, "health check still running"),
    ILLEGAL_NAMESPACE(22000, "illegal namespace"),
    NAMESPACE_NOT_FOUND(22001, "namespace not exist"),
    NAMESPACE_EXISTS(22002, "namespace already exist"),
    ILLEGAL_STATE(23000, "illegal state"),
    SERVER_ERROR(30000, "server error"),
    API_DEPRECATED(40000, "API deprecated."),
    FUNCTION_DISABLED(40001, "API function disabled."),
    METADATA_ILLEGAL(100002, "Imported metadata is invalid"),
    DATA_INVALID(100003, "No valid data was read"),
    DATA_UNREADABLE(100004, "Failed to parse data"),
    DATA_EMPTY(100005, "Imported file data is empty"),
    NOTHING_SELECTED(100006, "No configuration selected");

    private final int number;
    private final String text;

    DetailCode(int number, String text) {
        this.number = number;
        this.text = text;
    }

    public int number() {
        return number;
    }

    public String text() {
        return text;
    }
}
