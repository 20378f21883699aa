-- The history of an insert holds no content of its own: the configuration has the same one until it is replaced, and then
-- the row of that update or deletion has it. Readers see the table of Nacos with all contents.
ALTER TABLE his_config_info RENAME TO cairn_history;

CREATE VIEW his_config_info AS
SELECT
  nid,
  id,
  data_id,
  group_id,
  tenant_id,
  app_name,
  CASE
    WHEN content <> '' OR op_type <> 'I' OR md5 = 'd41d8cd98f00b204e9800998ecf8427e' THEN content
    ELSE COALESCE(
      (SELECT present.content FROM config_info present
        WHERE present.id = cairn_history.id AND present.md5 = cairn_history.md5),
      (SELECT later.content FROM cairn_history later
        WHERE later.data_id = cairn_history.data_id AND later.group_id = cairn_history.group_id
          AND later.tenant_id = cairn_history.tenant_id AND later.nid > cairn_history.nid
          AND later.id = cairn_history.id AND later.md5 = cairn_history.md5 AND later.content <> ''
        ORDER BY later.nid LIMIT 1),
      content)
  END AS content,
  md5,
  gmt_create,
  gmt_modified,
  src_user,
  src_ip,
  op_type,
  encrypted_data_key,
  publish_type,
  gray_name,
  ext_info
FROM cairn_history;
