package io.cairn.server.storage.database;

/** Names of tables that more than one class reads or writes. */
public final class TableNames {

    public static final String FORMAL = "config_info";
    public static final String GRAY = "config_info_gray";
    /** Nacos's table; every database reads the history from it. */
    public static final String HISTORY = "his_config_info";
    /** The written table where inserts share the configuration's content; Nacos's table is a view of it. */
    public static final String SHARING_HISTORY = "cairn_history";

    private TableNames() {}
}
