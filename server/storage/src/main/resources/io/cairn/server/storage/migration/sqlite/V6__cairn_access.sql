-- What the tables of Nacos have no room for, tokens for machines, and the record of what was done.

CREATE TABLE cairn_user (
  username TEXT NOT NULL PRIMARY KEY,
  must_change INTEGER NOT NULL
);

CREATE TABLE cairn_token (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  revoked_at BIGINT NOT NULL
);

CREATE TABLE cairn_audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  done_at BIGINT NOT NULL,
  who TEXT NOT NULL,
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  before_digest TEXT,
  after_digest TEXT,
  detail TEXT
);
CREATE INDEX idx_cairn_audit_done_at ON cairn_audit (done_at);
