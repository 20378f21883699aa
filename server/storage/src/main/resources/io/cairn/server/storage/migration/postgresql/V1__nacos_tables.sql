-- The tables and columns of Nacos on PostgreSQL. Names compare byte by byte, so lists have the same order on every database.
-- Tables that Nacos has made already are left as they are.

CREATE TABLE IF NOT EXISTS config_info (
  id bigserial NOT NULL,
  data_id varchar(255) COLLATE "C" NOT NULL,
  group_id varchar(255) COLLATE "C" DEFAULT NULL,
  content text NOT NULL,
  md5 varchar(32) DEFAULT NULL,
  gmt_create timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  src_user text,
  src_ip varchar(50) DEFAULT NULL,
  app_name varchar(128) COLLATE "C" DEFAULT NULL,
  tenant_id varchar(128) COLLATE "C" DEFAULT '',
  c_desc varchar(256) DEFAULT NULL,
  c_use varchar(64) DEFAULT NULL,
  effect varchar(64) DEFAULT NULL,
  type varchar(64) DEFAULT NULL,
  c_schema text,
  encrypted_data_key text NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  CONSTRAINT uk_configinfo_datagrouptenant UNIQUE (data_id, group_id, tenant_id)
);

CREATE TABLE IF NOT EXISTS config_info_gray (
  id bigserial NOT NULL,
  data_id varchar(255) COLLATE "C" NOT NULL,
  group_id varchar(128) COLLATE "C" NOT NULL,
  content text NOT NULL,
  md5 varchar(32) DEFAULT NULL,
  src_user text,
  src_ip varchar(100) DEFAULT NULL,
  gmt_create timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  app_name varchar(128) DEFAULT NULL,
  tenant_id varchar(128) COLLATE "C" DEFAULT '',
  gray_name varchar(128) COLLATE "C" NOT NULL,
  gray_rule text NOT NULL,
  encrypted_data_key text NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  CONSTRAINT uk_configinfogray_datagrouptenantgray UNIQUE (data_id, group_id, tenant_id, gray_name)
);
CREATE INDEX IF NOT EXISTS idx_gray_gmt_modified ON config_info_gray (gmt_modified);

CREATE TABLE IF NOT EXISTS config_tags_relation (
  id bigint NOT NULL,
  tag_name varchar(128) COLLATE "C" NOT NULL,
  tag_type varchar(64) DEFAULT NULL,
  data_id varchar(255) COLLATE "C" NOT NULL,
  group_id varchar(128) COLLATE "C" NOT NULL,
  tenant_id varchar(128) COLLATE "C" DEFAULT '',
  nid bigserial NOT NULL,
  PRIMARY KEY (nid),
  CONSTRAINT uk_configtagrelation_configidtag UNIQUE (id, tag_name, tag_type)
);
CREATE INDEX IF NOT EXISTS idx_tags_tenant_id ON config_tags_relation (tenant_id);

CREATE TABLE IF NOT EXISTS his_config_info (
  id bigint NOT NULL,
  nid bigserial NOT NULL,
  data_id varchar(255) COLLATE "C" NOT NULL,
  group_id varchar(128) COLLATE "C" NOT NULL,
  app_name varchar(128) DEFAULT NULL,
  content text NOT NULL,
  md5 varchar(32) DEFAULT NULL,
  gmt_create timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  src_user text,
  src_ip varchar(50) DEFAULT NULL,
  op_type varchar(10) DEFAULT NULL,
  tenant_id varchar(128) COLLATE "C" DEFAULT '',
  encrypted_data_key text NOT NULL DEFAULT '',
  publish_type varchar(50) DEFAULT 'formal',
  gray_name varchar(50) DEFAULT NULL,
  ext_info text,
  PRIMARY KEY (nid)
);
CREATE INDEX IF NOT EXISTS idx_his_gmt_create ON his_config_info (gmt_create);
CREATE INDEX IF NOT EXISTS idx_his_gmt_modified ON his_config_info (gmt_modified);
CREATE INDEX IF NOT EXISTS idx_his_did ON his_config_info (data_id);

CREATE TABLE IF NOT EXISTS group_capacity (
  id bigserial NOT NULL,
  group_id varchar(128) COLLATE "C" NOT NULL DEFAULT '',
  quota int NOT NULL DEFAULT 0,
  usage int NOT NULL DEFAULT 0,
  max_size int NOT NULL DEFAULT 0,
  max_aggr_count int NOT NULL DEFAULT 0,
  max_aggr_size int NOT NULL DEFAULT 0,
  max_history_count int NOT NULL DEFAULT 0,
  gmt_create timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id),
  CONSTRAINT uk_group_id UNIQUE (group_id)
);

CREATE TABLE IF NOT EXISTS tenant_capacity (
  id bigserial NOT NULL,
  tenant_id varchar(128) COLLATE "C" NOT NULL DEFAULT '',
  quota int NOT NULL DEFAULT 0,
  usage int NOT NULL DEFAULT 0,
  max_size int NOT NULL DEFAULT 0,
  max_aggr_count int NOT NULL DEFAULT 0,
  max_aggr_size int NOT NULL DEFAULT 0,
  max_history_count int NOT NULL DEFAULT 0,
  gmt_create timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id),
  CONSTRAINT uk_tenant_id UNIQUE (tenant_id)
);

CREATE TABLE IF NOT EXISTS tenant_info (
  id bigserial NOT NULL,
  kp varchar(128) COLLATE "C" NOT NULL,
  tenant_id varchar(128) COLLATE "C" DEFAULT '',
  tenant_name varchar(128) COLLATE "C" DEFAULT '',
  tenant_desc varchar(256) DEFAULT NULL,
  create_source varchar(32) DEFAULT NULL,
  gmt_create bigint NOT NULL,
  gmt_modified bigint NOT NULL,
  PRIMARY KEY (id),
  CONSTRAINT uk_tenant_info_kptenantid UNIQUE (kp, tenant_id)
);
CREATE INDEX IF NOT EXISTS idx_tenant_info_tenant_id ON tenant_info (tenant_id);

CREATE TABLE IF NOT EXISTS users (
  username varchar(50) COLLATE "C" NOT NULL,
  password varchar(500) NOT NULL,
  enabled boolean NOT NULL,
  PRIMARY KEY (username)
);

CREATE TABLE IF NOT EXISTS roles (
  username varchar(50) COLLATE "C" NOT NULL,
  role varchar(50) COLLATE "C" NOT NULL,
  CONSTRAINT uk_username_role UNIQUE (username, role)
);

CREATE TABLE IF NOT EXISTS permissions (
  role varchar(50) COLLATE "C" NOT NULL,
  resource varchar(512) COLLATE "C" NOT NULL,
  action varchar(8) COLLATE "C" NOT NULL,
  CONSTRAINT uk_role_permission UNIQUE (role, resource, action)
);
