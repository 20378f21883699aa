package io.cairn.api.wire;

import java.util.Set;

/** The wire name of every message, once. */
public final class MessageCatalog {

    public static final String ERROR_RESPONSE = "ErrorResponse";

    // connection
    public static final String SERVER_CHECK_REQUEST = "ServerCheckRequest";
    public static final String SERVER_CHECK_RESPONSE = "ServerCheckResponse";
    public static final String HEALTH_CHECK_REQUEST = "HealthCheckRequest";
    public static final String HEALTH_CHECK_RESPONSE = "HealthCheckResponse";
    public static final String CONNECTION_SETUP_REQUEST = "ConnectionSetupRequest";
    public static final String SETUP_ACK_REQUEST = "SetupAckRequest";
    public static final String CLIENT_DETECTION_REQUEST = "ClientDetectionRequest";
    public static final String CLIENT_DETECTION_RESPONSE = "ClientDetectionResponse";
    public static final String CONNECT_RESET_REQUEST = "ConnectResetRequest";
    public static final String CONNECT_RESET_RESPONSE = "ConnectResetResponse";

    // config
    public static final String CONFIG_QUERY_REQUEST = "ConfigQueryRequest";
    public static final String CONFIG_QUERY_RESPONSE = "ConfigQueryResponse";
    public static final String CONFIG_PUBLISH_REQUEST = "ConfigPublishRequest";
    public static final String CONFIG_PUBLISH_RESPONSE = "ConfigPublishResponse";
    public static final String CONFIG_REMOVE_REQUEST = "ConfigRemoveRequest";
    public static final String CONFIG_REMOVE_RESPONSE = "ConfigRemoveResponse";
    public static final String CONFIG_BATCH_LISTEN_REQUEST = "ConfigBatchListenRequest";
    public static final String CONFIG_CHANGE_BATCH_LISTEN_RESPONSE = "ConfigChangeBatchListenResponse";
    public static final String CONFIG_CHANGE_NOTIFY_REQUEST = "ConfigChangeNotifyRequest";
    public static final String CONFIG_CHANGE_NOTIFY_RESPONSE = "ConfigChangeNotifyResponse";

    /** Messages that only servers may send to each other, on their own port. */
    public static final Set<String> BETWEEN_SERVERS = Set.of(
            "MemberReportRequest",
            "DistroDataRequest",
            "ConfigChangeClusterSyncRequest",
            "ServerReloadRequest",
            "ServerLoaderInfoRequest");

    private MessageCatalog() {}
}
