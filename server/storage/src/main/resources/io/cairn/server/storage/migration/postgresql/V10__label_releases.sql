-- Releases of version 8 and later can work on it until a release by labels is published, which raises this number.
UPDATE cairn_schema SET readable_from = 8 WHERE id = 1;

-- Gray releases by rules that Nacos does not know: its load of all configurations fails on such a row in config_info_gray.
CREATE TABLE IF NOT EXISTS cairn_config_gray (
  id bigserial NOT NULL,
  data_id varchar(255) COLLATE "C" NOT NULL,
  group_id varchar(128) COLLATE "C" NOT NULL,
  content text NOT NULL,
  md5 varchar(32) DEFAULT NULL,
  src_user text,
  src_ip varchar(100) DEFAULT NULL,
  gmt_create timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  gmt_modified timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  app_name varchar(128) DEFAULT NULL,
  tenant_id varchar(128) COLLATE "C" DEFAULT '',
  gray_name varchar(128) COLLATE "C" NOT NULL,
  gray_rule text NOT NULL,
  encrypted_data_key text NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  CONSTRAINT uk_cairn_config_gray UNIQUE (data_id, group_id, tenant_id, gray_name)
);
