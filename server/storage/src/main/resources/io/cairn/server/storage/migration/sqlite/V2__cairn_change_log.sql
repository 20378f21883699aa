-- Cairn's own tables. One row holds the last revision given out; taking it locks out every other writer, so revisions
-- are in commit order and without gaps.
CREATE TABLE cairn_revision (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  value BIGINT NOT NULL
);
INSERT INTO cairn_revision (id, value) VALUES (1, 0);

-- What changed, for those who follow: peers, watches "since revision", and the answer to "did my commit arrive?"
-- (batch is a number drawn for each group commit).
CREATE TABLE cairn_change (
  revision INTEGER PRIMARY KEY,
  batch BIGINT NOT NULL,
  kind TEXT NOT NULL,
  op_type TEXT NOT NULL,
  tenant_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  data_id TEXT NOT NULL,
  md5 TEXT,
  changed_at BIGINT NOT NULL
);
