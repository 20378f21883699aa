-- Releases of version 8 can work on it; they do not read the new table.
UPDATE cairn_schema SET readable_from = 8 WHERE id = 1;

-- Rules that give roles to the callers of an issuer, beside those of the settings.
CREATE TABLE IF NOT EXISTS cairn_issuer_rule (
  id varchar(32) COLLATE "C" NOT NULL,
  claim varchar(128) COLLATE "C" NOT NULL,
  value varchar(256) COLLATE "C" NOT NULL,
  role varchar(64) COLLATE "C" NOT NULL,
  changed_by varchar(128) NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (id)
);
