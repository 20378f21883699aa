-- The schema of Cairn on MySQL 5.7 or newer and on MariaDB, for those who run SQL by hand: in an empty database,
-- as a user who may create tables. Cairn's own user then needs no more than SELECT, INSERT, UPDATE and DELETE.
-- Where its user may create tables, Cairn does the same at its first start. For a database that Nacos has used
-- take what bin/startup.sh --dry-run prints instead.

-- The tables and columns of Nacos 2.5/3.x. Keys compare byte by byte, and every character fits. Tables that Nacos has
-- made already are left as they are; columns that its older releases lack have been added before this script runs.

CREATE TABLE IF NOT EXISTS config_info (
  id bigint NOT NULL AUTO_INCREMENT,
  data_id varchar(255) NOT NULL,
  group_id varchar(128) DEFAULT NULL,
  content longtext NOT NULL,
  md5 varchar(32) DEFAULT NULL,
  gmt_create datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,
  src_user text,
  src_ip varchar(50) DEFAULT NULL,
  app_name varchar(128) DEFAULT NULL,
  tenant_id varchar(128) DEFAULT '',
  c_desc varchar(256) DEFAULT NULL,
  c_use varchar(64) DEFAULT NULL,
  effect varchar(64) DEFAULT NULL,
  type varchar(64) DEFAULT NULL,
  c_schema text,
  encrypted_data_key varchar(1024) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY uk_configinfo_datagrouptenant (data_id, group_id, tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS config_info_gray (
  id bigint NOT NULL AUTO_INCREMENT,
  data_id varchar(255) NOT NULL,
  group_id varchar(128) NOT NULL,
  content longtext NOT NULL,
  md5 varchar(32) DEFAULT NULL,
  src_user text,
  src_ip varchar(100) DEFAULT NULL,
  gmt_create datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  gmt_modified datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  app_name varchar(128) DEFAULT NULL,
  tenant_id varchar(128) DEFAULT '',
  gray_name varchar(128) NOT NULL,
  gray_rule text NOT NULL,
  encrypted_data_key varchar(256) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY uk_configinfogray_datagrouptenantgray (data_id, group_id, tenant_id, gray_name),
  KEY idx_dataid_gmt_modified (data_id, gmt_modified),
  KEY idx_gmt_modified (gmt_modified)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS config_tags_relation (
  id bigint NOT NULL,
  tag_name varchar(128) NOT NULL,
  tag_type varchar(64) DEFAULT NULL,
  data_id varchar(255) NOT NULL,
  group_id varchar(128) NOT NULL,
  tenant_id varchar(128) DEFAULT '',
  nid bigint NOT NULL AUTO_INCREMENT,
  PRIMARY KEY (nid),
  UNIQUE KEY uk_configtagrelation_configidtag (id, tag_name, tag_type),
  KEY idx_tenant_id (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS his_config_info (
  id bigint unsigned NOT NULL,
  nid bigint unsigned NOT NULL AUTO_INCREMENT,
  data_id varchar(255) NOT NULL,
  group_id varchar(128) NOT NULL,
  app_name varchar(128) DEFAULT NULL,
  content longtext NOT NULL,
  md5 varchar(32) DEFAULT NULL,
  gmt_create datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,
  src_user text,
  src_ip varchar(50) DEFAULT NULL,
  op_type char(10) DEFAULT NULL,
  tenant_id varchar(128) DEFAULT '',
  encrypted_data_key varchar(1024) NOT NULL DEFAULT '',
  publish_type varchar(50) DEFAULT 'formal',
  gray_name varchar(50) DEFAULT NULL,
  ext_info longtext,
  PRIMARY KEY (nid),
  KEY idx_gmt_create (gmt_create),
  KEY idx_gmt_modified (gmt_modified),
  KEY idx_did (data_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS group_capacity (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  group_id varchar(128) NOT NULL DEFAULT '',
  quota int unsigned NOT NULL DEFAULT 0,
  `usage` int unsigned NOT NULL DEFAULT 0,
  max_size int unsigned NOT NULL DEFAULT 0,
  max_aggr_count int unsigned NOT NULL DEFAULT 0,
  max_aggr_size int unsigned NOT NULL DEFAULT 0,
  max_history_count int unsigned NOT NULL DEFAULT 0,
  gmt_create datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id),
  UNIQUE KEY uk_group_id (group_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS tenant_capacity (
  id bigint unsigned NOT NULL AUTO_INCREMENT,
  tenant_id varchar(128) NOT NULL DEFAULT '',
  quota int unsigned NOT NULL DEFAULT 0,
  `usage` int unsigned NOT NULL DEFAULT 0,
  max_size int unsigned NOT NULL DEFAULT 0,
  max_aggr_count int unsigned NOT NULL DEFAULT 0,
  max_aggr_size int unsigned NOT NULL DEFAULT 0,
  max_history_count int unsigned NOT NULL DEFAULT 0,
  gmt_create datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified datetime NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id),
  UNIQUE KEY uk_tenant_id (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS tenant_info (
  id bigint NOT NULL AUTO_INCREMENT,
  kp varchar(128) NOT NULL,
  tenant_id varchar(128) DEFAULT '',
  tenant_name varchar(128) DEFAULT '',
  tenant_desc varchar(256) DEFAULT NULL,
  create_source varchar(32) DEFAULT NULL,
  gmt_create bigint NOT NULL,
  gmt_modified bigint NOT NULL,
  PRIMARY KEY (id),
  UNIQUE KEY uk_tenant_info_kptenantid (kp, tenant_id),
  KEY idx_tenant_id (tenant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS users (
  username varchar(50) NOT NULL,
  password varchar(500) NOT NULL,
  enabled boolean NOT NULL,
  PRIMARY KEY (username)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS roles (
  username varchar(50) NOT NULL,
  role varchar(50) NOT NULL,
  UNIQUE KEY idx_user_role (username, role)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS permissions (
  role varchar(50) NOT NULL,
  resource varchar(128) NOT NULL,
  action varchar(8) NOT NULL,
  UNIQUE KEY uk_role_permission (role, resource, action)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Cairn's own tables; Nacos passes them over. One row holds the last revision given out; its lock keeps out the writers
-- of all other nodes until the commit, so revisions are in commit order and without gaps.
CREATE TABLE IF NOT EXISTS cairn_revision (
  id int NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO cairn_revision (id, value) SELECT 1, 0 FROM (SELECT 1) one WHERE NOT EXISTS (SELECT 1 FROM cairn_revision);

-- What changed, for those who follow: peers, watches "since revision", and the answer to "did my commit arrive?"
-- (batch is a number drawn for each group commit).
CREATE TABLE IF NOT EXISTS cairn_change (
  revision bigint NOT NULL,
  batch bigint NOT NULL,
  kind varchar(32) NOT NULL,
  op_type varchar(10) NOT NULL,
  tenant_id varchar(128) NOT NULL,
  group_id varchar(128) NOT NULL,
  data_id varchar(512) NOT NULL,
  md5 varchar(64),
  changed_at bigint NOT NULL,
  PRIMARY KEY (revision)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What of the registry outlives a restart by right. Here the default namespace is 'public'; values of many parts are
-- JSON objects, for they are read whole and never searched. A service's name may be longer than a unique key can be:
-- that there is one row of each is seen to by the one writer, which replaces rows under the lock of cairn_revision.
CREATE TABLE IF NOT EXISTS cairn_service (
  id bigint NOT NULL AUTO_INCREMENT,
  namespace_id varchar(128) NOT NULL,
  group_name varchar(255) NOT NULL,
  service_name varchar(512) NOT NULL,
  settings longtext NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (id),
  KEY idx_service (service_name(255), group_name(128), namespace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS cairn_instance (
  id bigint NOT NULL AUTO_INCREMENT,
  namespace_id varchar(128) NOT NULL,
  group_name varchar(255) NOT NULL,
  service_name varchar(512) NOT NULL,
  ip varchar(128) NOT NULL,
  port int NOT NULL,
  instance longtext NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (id),
  KEY idx_address (ip, port, service_name(255), group_name(128), namespace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS cairn_instance_override (
  id bigint NOT NULL AUTO_INCREMENT,
  namespace_id varchar(128) NOT NULL,
  group_name varchar(255) NOT NULL,
  service_name varchar(512) NOT NULL,
  ip varchar(128) NOT NULL,
  port int NOT NULL,
  cluster_name varchar(128) NOT NULL,
  override longtext NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (id),
  KEY idx_address (ip, port, service_name(255), group_name(128), namespace_id),
  KEY idx_service (service_name(255), group_name(128), namespace_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS cairn_switch (
  name varchar(128) NOT NULL,
  value text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Configurations of an application are found without going through all contents. An index that is there already is
-- passed over, for a script that was cut short runs again.
SET @make_index = IF(
  EXISTS (SELECT 1 FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND table_name = 'config_info' AND index_name = 'idx_cairn_app_name'),
  'DO 0', 'CREATE INDEX idx_cairn_app_name ON config_info (app_name)');
PREPARE make_index FROM @make_index;
EXECUTE make_index;
DEALLOCATE PREPARE make_index;

-- What the tables of Nacos have no room for, tokens for machines, and the record of what was done.

CREATE TABLE IF NOT EXISTS cairn_user (
  username VARCHAR(50) NOT NULL PRIMARY KEY,
  must_change TINYINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS cairn_token (
  id VARCHAR(32) NOT NULL PRIMARY KEY,
  name VARCHAR(64) NOT NULL,
  digest VARCHAR(64) NOT NULL,
  scopes MEDIUMTEXT NOT NULL,
  created_by VARCHAR(128) NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT NOT NULL
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

CREATE TABLE IF NOT EXISTS cairn_audit (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  done_at BIGINT NOT NULL,
  who VARCHAR(128) NOT NULL,
  kind VARCHAR(16) NOT NULL,
  address VARCHAR(64) NOT NULL,
  action VARCHAR(64) NOT NULL,
  target VARCHAR(512) NOT NULL,
  before_digest VARCHAR(64),
  after_digest VARCHAR(64),
  detail VARCHAR(512),
  KEY idx_cairn_audit_done_at (done_at)
) ENGINE = InnoDB DEFAULT CHARSET = utf8mb4 COLLATE = utf8mb4_bin;

-- The oldest schema version whose release can work on this schema. Each later script begins with the update of this row.
CREATE TABLE IF NOT EXISTS cairn_schema (
  id int NOT NULL,
  readable_from int NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO cairn_schema (id, readable_from) SELECT 1, 6 FROM (SELECT 1) one WHERE NOT EXISTS (SELECT 1 FROM cairn_schema);

-- The nodes that share this database. Each writes its row every two seconds; heartbeat_at is by the clock of the database.
CREATE TABLE IF NOT EXISTS cairn_node (
  address varchar(255) NOT NULL,
  incarnation bigint NOT NULL,
  group_port int NOT NULL,
  grpc_port int NOT NULL,
  version varchar(64) NOT NULL,
  protocol int NOT NULL,
  state varchar(16) NOT NULL,
  sees text NOT NULL,
  revision bigint NOT NULL,
  connections int NOT NULL,
  started_at bigint NOT NULL,
  heartbeat_at bigint NOT NULL,
  PRIMARY KEY (address)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- Secrets that all nodes share: the keys that sign tokens, the key of the group.
CREATE TABLE IF NOT EXISTS cairn_secret (
  name varchar(64) NOT NULL,
  value mediumtext NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- The node of a cluster that did it; null for a server that is alone. A column that is there already is passed over, for a
-- script that was cut short runs again.
SET @add_node = IF(
  EXISTS (SELECT 1 FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = 'cairn_audit' AND column_name = 'node'),
  'DO 0', 'ALTER TABLE cairn_audit ADD COLUMN node varchar(255)');
PREPARE add_node FROM @add_node;
EXECUTE add_node;
DEALLOCATE PREPARE add_node;

-- Which scripts have run, so that Cairn runs none of them again.
CREATE TABLE cairn_schema_history (
  installed_rank int NOT NULL,
  version varchar(50) DEFAULT NULL,
  description varchar(200) NOT NULL,
  type varchar(20) NOT NULL,
  script varchar(1000) NOT NULL,
  checksum int DEFAULT NULL,
  installed_by varchar(100) NOT NULL,
  installed_on timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  execution_time int NOT NULL,
  success boolean NOT NULL,
  PRIMARY KEY (installed_rank),
  KEY cairn_schema_history_s_idx (success)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
  VALUES (1, '1', 'nacos tables', 'SQL', 'V1__nacos_tables.sql', 1917558097, 'by hand', 0, 1);
INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
  VALUES (2, '2', 'cairn change log', 'SQL', 'V2__cairn_change_log.sql', 1268180797, 'by hand', 0, 1);
INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
  VALUES (3, '3', 'cairn naming', 'SQL', 'V3__cairn_naming.sql', -8034369, 'by hand', 0, 1);
INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
  VALUES (4, '4', 'config search', 'SQL', 'V4__config_search.sql', -804128448, 'by hand', 0, 1);
INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
  VALUES (5, '6', 'cairn access', 'SQL', 'V6__cairn_access.sql', -1147760726, 'by hand', 0, 1);
INSERT INTO cairn_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
  VALUES (6, '8', 'cairn cluster', 'SQL', 'V8__cairn_cluster.sql', 459257699, 'by hand', 0, 1);
