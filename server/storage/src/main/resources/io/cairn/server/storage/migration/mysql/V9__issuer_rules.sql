-- Releases from version 6 on can work on it; they do not read the new table.
UPDATE cairn_schema SET readable_from = 6 WHERE id = 1;

-- Rules that give roles to the callers of an issuer, beside those of the settings.
CREATE TABLE IF NOT EXISTS cairn_issuer_rule (
  id varchar(32) NOT NULL,
  claim varchar(128) NOT NULL,
  value varchar(256) NOT NULL,
  role varchar(64) NOT NULL,
  changed_by varchar(128) NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
