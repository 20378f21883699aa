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
