-- Releases of version 7 and 8 can work on it; they do not read the new table.
UPDATE cairn_schema SET readable_from = 7 WHERE id = 1;

-- Rules that give roles to the callers of an issuer, beside those of the settings.
CREATE TABLE cairn_issuer_rule (
  id TEXT NOT NULL PRIMARY KEY,
  claim TEXT NOT NULL,
  value TEXT NOT NULL,
  role TEXT NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at BIGINT NOT NULL
);
