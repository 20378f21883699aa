/**
 * Every endpoint that the console calls: the public HTTP API and nothing else. A test holds this list against the
 * server's OpenAPI document.
 */
export const endpoints = [
  'POST /v3/auth/user/login',
  'PUT /v3/auth/user',
  'GET /v3/console/server/state',
  'GET /v3/console/health/readiness',

  'GET /v3/admin/cs/config',
  'POST /v3/admin/cs/config',
  'DELETE /v3/admin/cs/config',
  'GET /v3/admin/cs/config/list',
  'DELETE /v3/admin/cs/config/batch',
  'GET /v3/admin/cs/config/listener',
  'GET /v3/admin/cs/config/beta',
  'DELETE /v3/admin/cs/config/beta',
  'POST /v3/admin/cs/config/import',
  'GET /v3/admin/cs/config/export',
  'POST /v3/admin/cs/config/clone',
  'GET /v3/admin/cs/history',
  'GET /v3/admin/cs/history/list',

  'GET /v3/admin/ns/service/list',
  'GET /v3/admin/ns/service',
  'POST /v3/admin/ns/service',
  'PUT /v3/admin/ns/service',
  'DELETE /v3/admin/ns/service',
  'GET /v3/admin/ns/service/subscribers',
  'PUT /v3/admin/ns/cluster',
  'GET /v3/admin/ns/instance/list',
  'POST /v3/admin/ns/instance',
  'PUT /v3/admin/ns/instance',
  'DELETE /v3/admin/ns/instance',
  'GET /v3/admin/ns/client/list',
  'GET /v3/admin/ns/client',
  'GET /v3/admin/ns/client/publish/list',
  'GET /v3/admin/ns/client/subscribe/list',
  'GET /v3/admin/ns/ops/metrics',
  'GET /v3/admin/ns/ops/switches',

  'GET /v3/admin/core/namespace/list',
  'POST /v3/admin/core/namespace',
  'PUT /v3/admin/core/namespace',
  'DELETE /v3/admin/core/namespace',
  'GET /v3/admin/core/cluster/node/list',
  'GET /v3/admin/core/loader/current',
] as const;

export type Endpoint = (typeof endpoints)[number];
