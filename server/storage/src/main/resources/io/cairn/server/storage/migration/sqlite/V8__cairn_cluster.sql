-- The oldest schema version whose release can work on this schema. Each later script begins with the update of this row.
CREATE TABLE cairn_schema (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  readable_from INTEGER NOT NULL
);
INSERT INTO cairn_schema (id, readable_from) VALUES (1, 7);

-- The nodes that share this database. Each writes its row every two seconds; heartbeat_at is by the clock of the database.
CREATE TABLE cairn_node (
  address TEXT NOT NULL PRIMARY KEY,
  incarnation BIGINT NOT NULL,
  group_port INTEGER NOT NULL,
  grpc_port INTEGER NOT NULL,
  version TEXT NOT NULL,
  protocol INTEGER NOT NULL,
  state TEXT NOT NULL,
  sees TEXT NOT NULL,
  revision BIGINT NOT NULL,
  connections INTEGER NOT NULL,
  started_at BIGINT NOT NULL,
  heartbeat_at BIGINT NOT NULL
);

-- Secrets that all nodes share: the keys that sign tokens, the key of the group.
CREATE TABLE cairn_secret (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL,
  changed_at BIGINT NOT NULL
);

-- The node of a cluster that did it; null for a server that is alone.
ALTER TABLE cairn_audit ADD COLUMN node TEXT;
