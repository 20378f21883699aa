-- Cairn's own tables. One row holds the last revision; its lock excludes the writers of all other nodes until the commit, so
-- revisions are in commit order and without gaps.
CREATE TABLE IF NOT EXISTS cairn_revision (
  id int NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (id)
);
INSERT INTO cairn_revision (id, value) SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM cairn_revision);

CREATE TABLE IF NOT EXISTS cairn_change (
  revision bigint NOT NULL,
  batch bigint NOT NULL,
  kind varchar(32) NOT NULL,
  op_type varchar(10) NOT NULL,
  tenant_id varchar(128) NOT NULL,
  group_id varchar(255) NOT NULL,
  data_id varchar(512) NOT NULL,
  md5 varchar(64),
  changed_at bigint NOT NULL,
  PRIMARY KEY (revision)
);

CREATE TABLE IF NOT EXISTS cairn_service (
  id bigserial NOT NULL,
  namespace_id varchar(128) COLLATE "C" NOT NULL,
  group_name varchar(255) COLLATE "C" NOT NULL,
  service_name varchar(512) COLLATE "C" NOT NULL,
  settings text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX IF NOT EXISTS idx_cairn_service ON cairn_service (service_name, namespace_id);

CREATE TABLE IF NOT EXISTS cairn_instance (
  id bigserial NOT NULL,
  namespace_id varchar(128) COLLATE "C" NOT NULL,
  group_name varchar(255) COLLATE "C" NOT NULL,
  service_name varchar(512) COLLATE "C" NOT NULL,
  ip varchar(128) COLLATE "C" NOT NULL,
  port int NOT NULL,
  instance text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX IF NOT EXISTS idx_cairn_instance ON cairn_instance (ip, port, service_name);

CREATE TABLE IF NOT EXISTS cairn_instance_override (
  id bigserial NOT NULL,
  namespace_id varchar(128) COLLATE "C" NOT NULL,
  group_name varchar(255) COLLATE "C" NOT NULL,
  service_name varchar(512) COLLATE "C" NOT NULL,
  ip varchar(128) COLLATE "C" NOT NULL,
  port int NOT NULL,
  cluster_name varchar(128) COLLATE "C" NOT NULL,
  override text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (id)
);
CREATE INDEX IF NOT EXISTS idx_cairn_override_address ON cairn_instance_override (ip, port, service_name);
CREATE INDEX IF NOT EXISTS idx_cairn_override_service
  ON cairn_instance_override (service_name, namespace_id);

CREATE TABLE IF NOT EXISTS cairn_switch (
  name varchar(128) COLLATE "C" NOT NULL,
  value text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (name)
);

CREATE INDEX IF NOT EXISTS idx_cairn_app_name ON config_info (app_name);

CREATE TABLE IF NOT EXISTS cairn_user (
  username varchar(50) COLLATE "C" NOT NULL,
  must_change smallint NOT NULL,
  PRIMARY KEY (username)
);

CREATE TABLE IF NOT EXISTS cairn_token (
  id varchar(32) COLLATE "C" NOT NULL,
  name varchar(64) NOT NULL,
  digest varchar(64) NOT NULL,
  scopes text NOT NULL,
  created_by varchar(128) NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  revoked_at bigint NOT NULL,
  PRIMARY KEY (id)
);

CREATE TABLE IF NOT EXISTS cairn_audit (
  id bigserial NOT NULL,
  done_at bigint NOT NULL,
  who varchar(128) NOT NULL,
  kind varchar(16) NOT NULL,
  address varchar(64) NOT NULL,
  action varchar(64) NOT NULL,
  target varchar(512) NOT NULL,
  before_digest varchar(64),
  after_digest varchar(64),
  detail varchar(512),
  node varchar(255),
  PRIMARY KEY (id)
);
CREATE INDEX IF NOT EXISTS idx_cairn_audit_done_at ON cairn_audit (done_at);

-- The oldest schema version whose release can work on this schema. Each later script begins with the update of this row.
CREATE TABLE IF NOT EXISTS cairn_schema (
  id int NOT NULL,
  readable_from int NOT NULL,
  PRIMARY KEY (id)
);
INSERT INTO cairn_schema (id, readable_from) SELECT 1, 8 WHERE NOT EXISTS (SELECT 1 FROM cairn_schema);

-- The nodes that share this database; heartbeat_at is by its clock.
CREATE TABLE IF NOT EXISTS cairn_node (
  address varchar(255) COLLATE "C" NOT NULL,
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
);

-- Secrets that all nodes share: the keys that sign tokens, the key of the group.
CREATE TABLE IF NOT EXISTS cairn_secret (
  name varchar(64) COLLATE "C" NOT NULL,
  value text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (name)
);
