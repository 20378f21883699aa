-- What of the registry outlives a restart by right. Here the default namespace is 'public'; values of many parts are
-- JSON objects, for they are read whole and never searched.
CREATE TABLE cairn_service (
  namespace_id TEXT NOT NULL,
  group_name TEXT NOT NULL,
  service_name TEXT NOT NULL,
  settings TEXT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (namespace_id, group_name, service_name)
);

CREATE TABLE cairn_instance (
  namespace_id TEXT NOT NULL,
  group_name TEXT NOT NULL,
  service_name TEXT NOT NULL,
  ip TEXT NOT NULL,
  port INTEGER NOT NULL,
  instance TEXT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (namespace_id, group_name, service_name, ip, port)
);

CREATE TABLE cairn_instance_override (
  namespace_id TEXT NOT NULL,
  group_name TEXT NOT NULL,
  service_name TEXT NOT NULL,
  ip TEXT NOT NULL,
  port INTEGER NOT NULL,
  cluster_name TEXT NOT NULL,
  override TEXT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (namespace_id, group_name, service_name, ip, port, cluster_name)
);

CREATE TABLE cairn_switch (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL,
  changed_at BIGINT NOT NULL
);
