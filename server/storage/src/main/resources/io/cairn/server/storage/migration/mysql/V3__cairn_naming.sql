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
