-- Configurations of an application are found without going through all contents. Most have none, and cost nothing here.
CREATE INDEX idx_config_app_name ON config_info (app_name) WHERE app_name <> '';
