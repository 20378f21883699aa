-- Configurations of an application are found without going through all contents.
CREATE INDEX idx_cairn_app_name ON config_info (app_name);
