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
