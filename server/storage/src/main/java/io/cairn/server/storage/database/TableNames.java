package io.cairn.server.storage.database;

import io.cairn.server.config.GrayRule;
import java.util.List;

/** Names of tables that more than one class reads or writes. */
public final class TableNames {

    public static final String FORMAL = "config_info";
    public static final String GRAY = "config_info_gray";
    /** Releases by rules that Nacos does not know: its load of all configurations fails on such a row in its own table. */
    public static final String OWN_GRAY = "cairn_config_gray";
    /** Both tables of gray releases, which have the same columns. */
    public static final List<String> GRAYS = List.of(GRAY, OWN_GRAY);
    /** Nacos's table; every database reads the history from it. */
    public static final String HISTORY = "his_config_info";
    /** The written table where inserts share the configuration's content; Nacos's table is a view of it. */
    public static final String SHARING_HISTORY = "cairn_history";

    private TableNames() {}

    public static String grayOf(GrayRule rule) {
        return rule.isKnownToNacos() ? GRAY : OWN_GRAY;
    }
}
