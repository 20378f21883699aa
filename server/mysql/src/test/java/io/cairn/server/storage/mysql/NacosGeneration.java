package io.cairn.server.storage.mysql;

import io.cairn.server.mysql.TestSchema;
import io.cairn.server.storage.SampleCommands;
import java.util.ArrayList;
import java.util.List;

/** Databases in the form of each generation of Nacos: its tables and columns, and the rows that it writes. */
public enum NacosGeneration {
    V1_4(false, false, false),
    V2_2(true, false, false),
    V2_4(true, false, false),
    V2_5(true, true, false),
    V3_0(true, true, true);

    private static final String TAIL = ") ENGINE=InnoDB DEFAULT CHARSET=utf8 COLLATE=utf8_bin";
    private static final String TIMES = "gmt_create datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,"
            + " gmt_modified datetime NOT NULL DEFAULT CURRENT_TIMESTAMP";
    private static final String KEY =
            "data_id varchar(255) NOT NULL, group_id varchar(128) NOT NULL," + " tenant_id varchar(128) DEFAULT ''";

    private final boolean encrypts;
    private final boolean hasGray;
    public final boolean spellsPublic;

    NacosGeneration(boolean encrypts, boolean hasGray, boolean spellsPublic) {
        this.encrypts = encrypts;
        this.hasGray = hasGray;
        this.spellsPublic = spellsPublic;
    }

    /** The value in which it stores the default namespace. */
    public String defaultTenant() {
        return spellsPublic ? "public" : "";
    }

    public boolean hasGray() {
        return hasGray;
    }

    /** The tables without rows. */
    public void createTables(TestSchema schema) {
        tables().forEach(schema::execute);
    }

    public void create(TestSchema schema) {
        createTables(schema);
        rows().forEach(schema::execute);
    }

    private List<String> tables() {
        String dataKey = encrypts ? ", encrypted_data_key varchar(1024) NOT NULL DEFAULT ''" : "";
        List<String> tables = new ArrayList<>();
        tables.add("CREATE TABLE config_info (id bigint(20) NOT NULL AUTO_INCREMENT, "
                + KEY.replace("group_id varchar(128) NOT NULL", "group_id varchar(128) DEFAULT NULL")
                + ", content longtext NOT NULL, md5 varchar(32), " + TIMES
                + ", src_user text, src_ip varchar(50), app_name varchar(128), c_desc varchar(256), c_use varchar(64),"
                + " effect varchar(64), type varchar(64), c_schema text" + dataKey
                + ", PRIMARY KEY (id), UNIQUE KEY uk (data_id, group_id, tenant_id)" + TAIL);
        tables.add("CREATE TABLE config_tags_relation (id bigint(20) NOT NULL, tag_name varchar(128) NOT NULL,"
                + " tag_type varchar(64), " + KEY + ", nid bigint(20) NOT NULL AUTO_INCREMENT, PRIMARY KEY (nid),"
                + " UNIQUE KEY uk (id, tag_name, tag_type)" + TAIL);
        tables.add("CREATE TABLE his_config_info (id bigint(20) unsigned NOT NULL, nid bigint(20) unsigned NOT NULL"
                + " AUTO_INCREMENT, " + KEY + ", app_name varchar(128), content longtext NOT NULL, md5 varchar(32), "
                + TIMES + ", src_user text, src_ip varchar(50), op_type char(10)" + dataKey
                + (hasGray
                        ? ", publish_type varchar(50) DEFAULT 'formal', gray_name varchar(50), ext_info longtext"
                        : "")
                + ", PRIMARY KEY (nid)" + TAIL);
        tables.add("CREATE TABLE tenant_info (id bigint(20) NOT NULL AUTO_INCREMENT, kp varchar(128) NOT NULL,"
                + " tenant_id varchar(128) DEFAULT '', tenant_name varchar(128) DEFAULT '', tenant_desc varchar(256),"
                + " create_source varchar(32), gmt_create bigint(20) NOT NULL, gmt_modified bigint(20) NOT NULL,"
                + " PRIMARY KEY (id), UNIQUE KEY uk (kp, tenant_id)" + TAIL);
        tables.add("CREATE TABLE users (username varchar(50) NOT NULL PRIMARY KEY, password varchar(500) NOT NULL,"
                + " enabled boolean NOT NULL" + TAIL);
        tables.add("CREATE TABLE roles (username varchar(50) NOT NULL, role varchar(50) NOT NULL,"
                + " UNIQUE KEY uk (username, role)" + TAIL);
        tables.add("CREATE TABLE permissions (role varchar(50) NOT NULL, resource varchar(128) NOT NULL,"
                + " action varchar(8) NOT NULL, UNIQUE KEY uk (role, resource, action)" + TAIL);
        if (hasGray) {
            tables.add("CREATE TABLE config_info_gray (id bigint unsigned NOT NULL AUTO_INCREMENT, " + KEY
                    + ", content longtext NOT NULL, md5 varchar(32), src_user text, src_ip varchar(100),"
                    + " gmt_create datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),"
                    + " gmt_modified datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), app_name varchar(128),"
                    + " gray_name varchar(128) NOT NULL, gray_rule text NOT NULL,"
                    + " encrypted_data_key varchar(256) NOT NULL DEFAULT '', PRIMARY KEY (id),"
                    + " UNIQUE KEY uk (data_id, group_id, tenant_id, gray_name)" + TAIL);
        } else {
            tables.add("CREATE TABLE config_info_beta (id bigint(20) NOT NULL AUTO_INCREMENT, " + KEY
                    + ", app_name varchar(128), content longtext NOT NULL, beta_ips varchar(1024), md5 varchar(32), "
                    + TIMES + ", src_user text, src_ip varchar(50)" + dataKey
                    + ", PRIMARY KEY (id), UNIQUE KEY uk (data_id, group_id, tenant_id)" + TAIL);
            tables.add("CREATE TABLE config_info_tag (id bigint(20) NOT NULL AUTO_INCREMENT, " + KEY
                    + ", tag_id varchar(128) NOT NULL, app_name varchar(128), content longtext NOT NULL,"
                    + " md5 varchar(32), " + TIMES + ", src_user text, src_ip varchar(50), PRIMARY KEY (id),"
                    + " UNIQUE KEY uk (data_id, group_id, tenant_id, tag_id)" + TAIL);
        }
        return tables;
    }

    private List<String> rows() {
        List<String> rows = new ArrayList<>();
        rows.add(config("a.yaml", defaultTenant(), "a: 1"));
        rows.add(config("a.yaml", "dev", "a: dev"));
        rows.add(config("nach-ä.txt", defaultTenant(), "größe 中文"));
        rows.add("INSERT INTO config_tags_relation (id, tag_name, tag_type, data_id, group_id, tenant_id)"
                + " SELECT id, 'shop', '', data_id, group_id, tenant_id FROM config_info WHERE content = 'a: 1'");
        rows.add("INSERT INTO his_config_info (id, data_id, group_id, tenant_id, content, md5, op_type, gmt_modified)"
                + " VALUES (1, 'a.yaml', 'g', '" + defaultTenant()
                + "', 'a: 0', MD5_OF_0, 'I', '2024-01-02 03:04:05')"
                        .replace("MD5_OF_0", "'" + SampleCommands.md5("a: 0") + "'"));
        rows.add("INSERT INTO tenant_info (kp, tenant_id, tenant_name, tenant_desc, create_source, gmt_create,"
                + " gmt_modified) VALUES ('1', 'dev', 'Development', 'of us', 'nacos', 1, 2)");
        rows.add(
                "INSERT INTO users VALUES ('nacos', '$2a$10$EuWPZHzz32dJN7jexM34MOeYirDdFAZm2kuWj7VEOJhhZkDrxfvUu', 1)");
        rows.add("INSERT INTO roles VALUES ('nacos', 'ROLE_ADMIN')");
        rows.add("INSERT INTO permissions VALUES ('dev', 'dev:*:*', 'rw')");
        if (hasGray) {
            rows.add(
                    gray(
                            "beta",
                            "{\"type\":\"beta\",\"version\":\"1.0.0\",\"expr\":\"10.0.0.1,10.0.0.2\",\"priority\":2147483647}"));
            rows.add(gray(
                    "tag_blue", "{\"type\":\"tag\",\"version\":\"1.0.0\",\"expr\":\"blue\",\"priority\":2147483646}"));
        } else {
            rows.add("INSERT INTO config_info_beta (data_id, group_id, tenant_id, content, md5, beta_ips, app_name)"
                    + " VALUES ('a.yaml', 'g', '', 'a: beta', '" + SampleCommands.md5("a: beta")
                    + "', '10.0.0.1,10.0.0.2', 'shop')");
            rows.add("INSERT INTO config_info_tag (data_id, group_id, tenant_id, content, md5, tag_id)"
                    + " VALUES ('a.yaml', 'g', '', 'a: tag_blue', '" + SampleCommands.md5("a: tag_blue")
                    + "', 'blue')");
        }
        if (spellsPublic) {
            // The rows that a server before 3.0 left or still writes: one that Nacos 3 has copied, and one that it has
            // not.
            rows.add(config("a.yaml", "", "a: stale"));
            rows.add(config("only-old.txt", "", "old"));
        }
        return rows;
    }

    private String config(String dataId, String tenant, String content) {
        return "INSERT INTO config_info (data_id, group_id, tenant_id, content, md5, type, app_name, c_desc, src_user,"
                + " src_ip, gmt_modified) VALUES ('" + dataId + "', 'g', '" + tenant + "', '" + content + "', '"
                + SampleCommands.md5(content)
                + "', 'yaml', 'shop', 'about', 'anna', '10.0.0.9', '2024-01-02 03:04:05')";
    }

    private String gray(String name, String rule) {
        String content = name.equals("beta") ? "a: beta" : "a: " + name;
        return "INSERT INTO config_info_gray (data_id, group_id, tenant_id, gray_name, gray_rule, content, md5)"
                + " VALUES ('a.yaml', 'g', '" + defaultTenant() + "', '" + name + "', '" + rule + "', '" + content
                + "', '" + SampleCommands.md5(content) + "')";
    }

    /** Statements by which this generation writes after Cairn was shut down. */
    public List<String> goesOn() {
        List<String> writes = new ArrayList<>();
        writes.add(config("back.yaml", defaultTenant(), "back: 1"));
        writes.add("INSERT INTO his_config_info (id, data_id, group_id, tenant_id, app_name, content, md5, src_ip,"
                + " src_user, gmt_modified, op_type) VALUES (0, 'back.yaml', 'g', '', 'shop', 'back: 1', 'x', 'y', 'z',"
                + " '2024-01-02 03:04:05', 'I')");
        writes.add("INSERT INTO users (username, password, enabled) VALUES ('ben', 'x', 1)");
        writes.add("INSERT INTO tenant_info (kp, tenant_id, tenant_name, tenant_desc, create_source, gmt_create,"
                + " gmt_modified) VALUES ('1', 'later', 'Later', '', 'nacos', 1, 2)");
        return writes;
    }
}
