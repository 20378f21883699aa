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
