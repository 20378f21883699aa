-- The tables and columns of Nacos 2.5/3.x in SQLite's types: times are epoch milliseconds, booleans 0 or 1.
-- SQLite ignores lengths, so they are checked before anything is written.

CREATE TABLE config_info (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  data_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL,
  md5 TEXT,
  gmt_create BIGINT NOT NULL,
  gmt_modified BIGINT NOT NULL,
  src_user TEXT,
  src_ip TEXT,
  app_name TEXT,
  c_desc TEXT,
  c_use TEXT,
  effect TEXT,
  type TEXT,
  c_schema TEXT,
  encrypted_data_key TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX uk_configinfo_datagrouptenant ON config_info (data_id, group_id, tenant_id);

CREATE TABLE config_info_gray (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  data_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL DEFAULT '',
  gray_name TEXT NOT NULL,
  gray_rule TEXT NOT NULL,
  content TEXT NOT NULL,
  md5 TEXT,
  gmt_create BIGINT NOT NULL,
  gmt_modified BIGINT NOT NULL,
  src_user TEXT,
  src_ip TEXT,
  app_name TEXT,
  encrypted_data_key TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX uk_configinfogray_datagrouptenantgray
  ON config_info_gray (data_id, group_id, tenant_id, gray_name);

CREATE TABLE config_tags_relation (
  nid INTEGER PRIMARY KEY,
  id BIGINT NOT NULL,
  tag_name TEXT NOT NULL,
  tag_type TEXT,
  data_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX uk_configtagrelation_configidtag ON config_tags_relation (id, tag_name, tag_type);
CREATE INDEX idx_tenant_id ON config_tags_relation (tenant_id);

CREATE TABLE his_config_info (
  nid INTEGER PRIMARY KEY,
  id BIGINT NOT NULL,
  data_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL DEFAULT '',
  app_name TEXT,
  content TEXT NOT NULL,
  md5 TEXT,
  gmt_create BIGINT NOT NULL,
  gmt_modified BIGINT NOT NULL,
  src_user TEXT,
  src_ip TEXT,
  op_type TEXT,
  encrypted_data_key TEXT NOT NULL DEFAULT '',
  publish_type TEXT DEFAULT 'formal',
  gray_name TEXT,
  ext_info TEXT
);
CREATE INDEX idx_his_gmt_modified ON his_config_info (gmt_modified);
CREATE INDEX idx_his_data_id ON his_config_info (data_id, group_id, tenant_id);

CREATE TABLE group_capacity (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  group_id TEXT NOT NULL DEFAULT '' UNIQUE,
  quota INTEGER NOT NULL DEFAULT 0,
  usage INTEGER NOT NULL DEFAULT 0,
  max_size INTEGER NOT NULL DEFAULT 0,
  max_aggr_count INTEGER NOT NULL DEFAULT 0,
  max_aggr_size INTEGER NOT NULL DEFAULT 0,
  max_history_count INTEGER NOT NULL DEFAULT 0,
  gmt_create BIGINT NOT NULL,
  gmt_modified BIGINT NOT NULL
);

CREATE TABLE tenant_capacity (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant_id TEXT NOT NULL DEFAULT '' UNIQUE,
  quota INTEGER NOT NULL DEFAULT 0,
  usage INTEGER NOT NULL DEFAULT 0,
  max_size INTEGER NOT NULL DEFAULT 0,
  max_aggr_count INTEGER NOT NULL DEFAULT 0,
  max_aggr_size INTEGER NOT NULL DEFAULT 0,
  max_history_count INTEGER NOT NULL DEFAULT 0,
  gmt_create BIGINT NOT NULL,
  gmt_modified BIGINT NOT NULL
);

CREATE TABLE tenant_info (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kp TEXT NOT NULL,
  tenant_id TEXT NOT NULL DEFAULT '',
  tenant_name TEXT DEFAULT '',
  tenant_desc TEXT,
  create_source TEXT,
  gmt_create BIGINT NOT NULL,
  gmt_modified BIGINT NOT NULL,
  UNIQUE (kp, tenant_id)
);

CREATE TABLE users (
  username TEXT NOT NULL PRIMARY KEY,
  password TEXT NOT NULL,
  enabled INTEGER NOT NULL
);

CREATE TABLE roles (
  username TEXT NOT NULL,
  role TEXT NOT NULL,
  UNIQUE (username, role)
);

CREATE TABLE permissions (
  role TEXT NOT NULL,
  resource TEXT NOT NULL,
  action TEXT NOT NULL,
  UNIQUE (role, resource, action)
);
