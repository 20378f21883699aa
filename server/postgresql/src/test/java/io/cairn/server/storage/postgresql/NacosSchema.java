package io.cairn.server.storage.postgresql;

import io.cairn.server.postgresql.TestSchema;

/** Names, types and keys of the two schemas in use, as facts about them; the words are of this test. */
public enum NacosSchema {
    /** Of the plugin, up to 3.1. */
    PLUGIN("varchar(128)", "int8 NOT NULL", "bigserial", ""),
    /** Of the main tree, since 3.2. */
    MAIN("varchar(128) NOT NULL DEFAULT ''", "timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP", "bigint", newInMain());

    private final String tenant;
    private final String namespaceTime;
    private final String tagId;
    private final String more;

    NacosSchema(String tenant, String namespaceTime, String tagId, String more) {
        this.tenant = tenant;
        this.namespaceTime = namespaceTime;
        this.tagId = tagId;
        this.more = more;
    }

    private static String newInMain() {
        return """
                CREATE TABLE config_info_gray (id bigserial PRIMARY KEY, data_id varchar(255) NOT NULL,
                  group_id varchar(128) NOT NULL, content text NOT NULL, md5 varchar(32), src_user text,
                  src_ip varchar(100), gmt_create timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
                  gmt_modified timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP, app_name varchar(128),
                  tenant_id varchar(128) NOT NULL DEFAULT '', gray_name varchar(128) NOT NULL, gray_rule text NOT NULL,
                  encrypted_data_key varchar(256) NOT NULL DEFAULT '');
                CREATE UNIQUE INDEX uk_gray ON config_info_gray (data_id, group_id, tenant_id, gray_name);
                ALTER TABLE his_config_info ADD COLUMN publish_type varchar(50) DEFAULT 'formal',
                  ADD COLUMN gray_name varchar(50), ADD COLUMN ext_info text;
                CREATE TABLE pipeline_execution (execution_id varchar(64) PRIMARY KEY, status varchar(32) NOT NULL);
                """;
    }

    public boolean mayHaveNullTenants() {
        return this == PLUGIN;
    }

    public void createTables(TestSchema schema) {
        String tables = """
                CREATE TABLE config_info (id bigserial PRIMARY KEY, data_id varchar(255) NOT NULL, group_id varchar(255),
                  content text NOT NULL, md5 varchar(32), gmt_create timestamp(6) NOT NULL,
                  gmt_modified timestamp(6) NOT NULL, src_user text, src_ip varchar(20), app_name varchar(128),
                  tenant_id %1$s, c_desc varchar(256), c_use varchar(64), effect varchar(64), type varchar(64),
                  c_schema text, encrypted_data_key text NOT NULL);
                CREATE UNIQUE INDEX uk_config ON config_info (data_id, group_id, tenant_id);
                CREATE TABLE config_info_beta (id bigserial PRIMARY KEY, data_id varchar(255) NOT NULL,
                  group_id varchar(128) NOT NULL, app_name varchar(128), content text NOT NULL, beta_ips varchar(1024),
                  md5 varchar(32), gmt_create timestamp(6) NOT NULL, gmt_modified timestamp(6) NOT NULL, src_user text,
                  src_ip varchar(20), tenant_id %1$s, encrypted_data_key text NOT NULL);
                CREATE TABLE config_info_tag (id bigserial PRIMARY KEY, data_id varchar(255) NOT NULL,
                  group_id varchar(128) NOT NULL, tenant_id %1$s, tag_id varchar(128) NOT NULL, app_name varchar(128),
                  content text NOT NULL, md5 varchar(32), gmt_create timestamp(6) NOT NULL,
                  gmt_modified timestamp(6) NOT NULL, src_user text, src_ip varchar(20));
                CREATE TABLE config_tags_relation (id %3$s, tag_name varchar(128) NOT NULL, tag_type varchar(64),
                  data_id varchar(255) NOT NULL, group_id varchar(128) NOT NULL, tenant_id %1$s,
                  nid bigserial PRIMARY KEY);
                CREATE UNIQUE INDEX uk_tags ON config_tags_relation (id, tag_name, tag_type);
                CREATE TABLE his_config_info (id int8 NOT NULL, nid bigserial PRIMARY KEY, data_id varchar(255) NOT NULL,
                  group_id varchar(128) NOT NULL, app_name varchar(128), content text NOT NULL, md5 varchar(32),
                  gmt_create timestamp(6) NOT NULL DEFAULT '2010-05-05 00:00:00', gmt_modified timestamp(6) NOT NULL,
                  src_user text, src_ip varchar(20), op_type char(10), tenant_id %1$s, encrypted_data_key text NOT NULL);
                CREATE TABLE group_capacity (id bigserial PRIMARY KEY, group_id varchar(128) NOT NULL, quota int4 NOT NULL,
                  usage int4 NOT NULL, max_size int4 NOT NULL, max_aggr_count int4 NOT NULL, max_aggr_size int4 NOT NULL,
                  max_history_count int4 NOT NULL, gmt_create timestamp(6) NOT NULL, gmt_modified timestamp(6) NOT NULL);
                CREATE UNIQUE INDEX uk_group ON group_capacity (group_id);
                CREATE TABLE tenant_capacity (id bigserial PRIMARY KEY, tenant_id varchar(128) NOT NULL,
                  quota int4 NOT NULL, usage int4 NOT NULL, max_size int4 NOT NULL, max_aggr_count int4 NOT NULL,
                  max_aggr_size int4 NOT NULL, max_history_count int4 NOT NULL, gmt_create timestamp(6) NOT NULL,
                  gmt_modified timestamp(6) NOT NULL);
                CREATE TABLE tenant_info (id bigserial PRIMARY KEY, kp varchar(128) NOT NULL, tenant_id %1$s,
                  tenant_name varchar(128), tenant_desc varchar(256), create_source varchar(32), gmt_create %2$s,
                  gmt_modified %2$s);
                CREATE UNIQUE INDEX uk_tenant ON tenant_info (kp, tenant_id);
                CREATE TABLE users (username varchar(50) PRIMARY KEY, password varchar(500) NOT NULL,
                  enabled boolean NOT NULL);
                CREATE TABLE roles (username varchar(50) NOT NULL, role varchar(50) NOT NULL);
                CREATE UNIQUE INDEX uk_roles ON roles (username, role);
                CREATE TABLE permissions (role varchar(50) NOT NULL, resource varchar(512) NOT NULL,
                  action varchar(8) NOT NULL);
                CREATE UNIQUE INDEX uk_permissions ON permissions (role, resource, action);
                """;
        schema.execute(tables.formatted(tenant, namespaceTime, tagId) + more);
    }

    /** A time of {@code tenant_info} in SQL. */
    public String namespaceTime() {
        return this == PLUGIN ? "1700000000000" : "'2023-11-14 22:13:20'";
    }
}
