-- Releases of version 6 and later can work on it until a release by labels is published, which raises this number.
UPDATE cairn_schema SET readable_from = 6 WHERE id = 1;

-- Gray releases by rules that Nacos does not know: its load of all configurations fails on such a row in config_info_gray.
CREATE TABLE IF NOT EXISTS cairn_config_gray (
  id bigint NOT NULL AUTO_INCREMENT,
  data_id varchar(255) NOT NULL,
  group_id varchar(128) NOT NULL,
  content longtext NOT NULL,
  md5 varchar(32) DEFAULT NULL,
  src_user text,
  src_ip varchar(100) DEFAULT NULL,
  gmt_create datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  gmt_modified datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  app_name varchar(128) DEFAULT NULL,
  tenant_id varchar(128) DEFAULT '',
  gray_name varchar(128) NOT NULL,
  gray_rule text NOT NULL,
  encrypted_data_key varchar(1024) NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY uk_cairn_config_gray (data_id, group_id, tenant_id, gray_name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
