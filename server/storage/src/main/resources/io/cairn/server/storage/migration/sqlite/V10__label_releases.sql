-- Releases of version 7 and later can work on it until a release by labels is published, which raises this number.
UPDATE cairn_schema SET readable_from = 7 WHERE id = 1;

-- Gray releases by rules that Nacos does not know: its load of all configurations fails on such a row in config_info_gray.
CREATE TABLE cairn_config_gray (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  data_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  tenant_id TEXT NOT NULL DEFAULT '',
  gray_name TEXT NOT NULL,
  gray_rule TEXT NOT NULL,
  content TEXT NOT NULL,
  md5 TEXT,
  gmt_create BIGINT NOT NULL,
  gmt_modified BIGINT NOT NULL,
  src_user TEXT,
  src_ip TEXT,
  app_name TEXT,
  encrypted_data_key TEXT NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX uk_cairn_config_gray ON cairn_config_gray (data_id, group_id, tenant_id, gray_name);
