package io.cairn.api.wire;

import java.util.Set;

/** The wire names of all messages. */
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
    public static final String CLIENT_CONFIG_METRIC_REQUEST = "ClientConfigMetricRequest";
    public static final String CLIENT_CONFIG_METRIC_RESPONSE = "ClientConfigMetricResponse";
    public static final String CONFIG_FUZZY_WATCH_REQUEST = "ConfigFuzzyWatchRequest";
    public static final String CONFIG_FUZZY_WATCH_RESPONSE = "ConfigFuzzyWatchResponse";
    public static final String CONFIG_FUZZY_WATCH_SYNC_REQUEST = "ConfigFuzzyWatchSyncRequest";
    public static final String CONFIG_FUZZY_WATCH_SYNC_RESPONSE = "ConfigFuzzyWatchSyncResponse";
    public static final String CONFIG_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST = "ConfigFuzzyWatchChangeNotifyRequest";
    public static final String CONFIG_FUZZY_WATCH_CHANGE_NOTIFY_RESPONSE = "ConfigFuzzyWatchChangeNotifyResponse";

    // naming
    public static final String INSTANCE_REQUEST = "InstanceRequest";
    public static final String INSTANCE_RESPONSE = "InstanceResponse";
    public static final String BATCH_INSTANCE_REQUEST = "BatchInstanceRequest";
    public static final String BATCH_INSTANCE_RESPONSE = "BatchInstanceResponse";
    public static final String PERSISTENT_INSTANCE_REQUEST = "PersistentInstanceRequest";
    public static final String INSTANCE_DRAIN_REQUEST = "InstanceDrainRequest";
    public static final String INSTANCE_DRAIN_RESPONSE = "InstanceDrainResponse";
    public static final String SERVICE_QUERY_REQUEST = "ServiceQueryRequest";
    public static final String QUERY_SERVICE_RESPONSE = "QueryServiceResponse";
    public static final String SUBSCRIBE_SERVICE_REQUEST = "SubscribeServiceRequest";
    public static final String SUBSCRIBE_SERVICE_RESPONSE = "SubscribeServiceResponse";
    public static final String SERVICE_LIST_REQUEST = "ServiceListRequest";
    public static final String SERVICE_LIST_RESPONSE = "ServiceListResponse";
    public static final String NOTIFY_SUBSCRIBER_REQUEST = "NotifySubscriberRequest";
    public static final String NOTIFY_SUBSCRIBER_RESPONSE = "NotifySubscriberResponse";
    public static final String NAMING_FUZZY_WATCH_REQUEST = "NamingFuzzyWatchRequest";
    public static final String NAMING_FUZZY_WATCH_RESPONSE = "NamingFuzzyWatchResponse";
    public static final String NAMING_FUZZY_WATCH_SYNC_REQUEST = "NamingFuzzyWatchSyncRequest";
    public static final String NAMING_FUZZY_WATCH_CHANGE_NOTIFY_REQUEST = "NamingFuzzyWatchChangeNotifyRequest";
    public static final String NAMING_FUZZY_WATCH_CHANGE_NOTIFY_RESPONSE = "NamingFuzzyWatchChangeNotifyResponse";

    /** Messages between servers, accepted on their own port only. */
    public static final Set<String> BETWEEN_SERVERS = Set.of(
            "MemberReportRequest",
            "DistroDataRequest",
            "ConfigChangeClusterSyncRequest",
            "ServerReloadRequest",
            "ServerLoaderInfoRequest");

    private MessageCatalog() {}
}
