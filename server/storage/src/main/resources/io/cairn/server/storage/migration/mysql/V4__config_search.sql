-- Configurations of an application are found without going through all contents. An index that is there already is
-- passed over, for a script that was cut short runs again.
SET @make_index = IF(
  EXISTS (SELECT 1 FROM information_schema.statistics
    WHERE table_schema = DATABASE() AND table_name = 'config_info' AND index_name = 'idx_cairn_app_name'),
  'DO 0', 'CREATE INDEX idx_cairn_app_name ON config_info (app_name)');
PREPARE make_index FROM @make_index;
EXECUTE make_index;
DEALLOCATE PREPARE make_index;
