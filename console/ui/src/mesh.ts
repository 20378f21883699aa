import type { Diagnostic } from '@codemirror/lint';
import { ApiError } from './api/http';
import { mesh, type MeshState, type MeshType, type ResourceProblem } from './api/mesh';
import { t, type Text } from './i18n';

/** The group whose configurations are resources of proxies. */
export const MESH_GROUP = 'CAIRN_XDS';

export const TYPE_NAMES: Record<MeshType, Text> = { cds: 'Clusters', eds: 'Endpoints', lds: 'Listeners', rds: 'Routes' };

export const STATES: Record<MeshState, { text: Text; kind: 'good' | 'warn' | 'bad' | 'none' }> = {
  current: { text: 'Up to date', kind: 'good' },
  starting: { text: 'Starting', kind: 'none' },
  waiting: { text: 'Not acknowledged', kind: 'warn' },
  refusing: { text: 'Refuses', kind: 'bad' },
  refused: { text: 'Refused by the server', kind: 'bad' },
  denied: { text: 'Without the right', kind: 'bad' },
  unauthenticated: { text: 'Without valid credentials', kind: 'bad' },
};

const KINDS: Record<string, MeshType> = { listener: 'lds', route: 'rds', cluster: 'cds' };

/** The name of the clusters, endpoints and routes of a service. */
export function resourceNameOf(service: { groupName: string; serviceName: string }): string {
  return service.groupName === 'DEFAULT_GROUP' ? service.serviceName : `${service.groupName}@@${service.serviceName}`;
}

/** The resource that a configuration is; undefined when it is an ordinary one. */
export function resourceOf(key: { groupName: string; dataId: string }): { type: MeshType; name: string } | undefined {
  if (key.groupName !== MESH_GROUP) return undefined;
  const dot = key.dataId.indexOf('.');
  const type = KINDS[key.dataId.slice(0, dot)];
  return type && key.dataId.length > dot + 1 ? { type, name: key.dataId.slice(dot + 1) } : undefined;
}

/** The checks of the server, for the editor; undefined where it makes none of this configuration. */
export function checkOf(key: { namespaceId: string; groupName: string; dataId: string }): ((content: string) => Promise<Diagnostic[]>) | undefined {
  if (key.groupName !== MESH_GROUP || !/^(listener|route|cluster|endpoints|secret)\../.test(key.dataId)) return undefined;
  return async (content) => {
    if (content.trim() === '') return [];
    let checked;
    try {
      checked = await mesh.check({ namespaceId: key.namespaceId, dataId: key.dataId, content });
    } catch (failure) {
      // A server that cannot check does not stop anyone from typing; it says so when something is published.
      if (failure instanceof ApiError) return [];
      throw failure;
    }
    const lines = content.split(/\r\n|\r|\n/);
    const missing = (named: { name: string; exists: boolean }[], text: Text) =>
      named.filter((each) => !each.exists).map(({ name }): Diagnostic => {
        const line = Math.max(0, lines.findIndex((each) => each.includes(name)));
        return place(lines, line, 0, 'warning', t(text, { name }));
      });
    const shown = (problem: ResourceProblem, severity: 'error' | 'warning') =>
      place(lines, problem.line - 1, problem.column - 1, severity, problem.path ? `${problem.path}: ${problem.message}` : problem.message);
    return [...checked.problems.map((each) => shown(each, 'error')), ...checked.warnings.map((each) => shown(each, 'warning')),
      ...missing(checked.clusters, 'Names the cluster {name}, which does not exist: requests to it are answered with 503 until it does.'),
      ...missing(checked.routes ?? [], 'Names the route {name}, which does not exist: all requests are answered with 404 until it does.')];
  };
}

/** In the editor's text a line ends with one character. */
function place(lines: string[], line: number, column: number, severity: 'error' | 'warning', message: string): Diagnostic {
  const row = Math.max(0, Math.min(line, lines.length - 1));
  const start = lines.slice(0, row).reduce((sum, each) => sum + each.length + 1, 0);
  const length = lines[row]!.length;
  return { from: start + Math.max(0, Math.min(column, length)), to: start + length, severity, message };
}

export type Template = { name: Text; dataId: string; content: string };

export const TEMPLATES: Template[] = [
  {
    name: 'Route: a canary of 10 %',
    dataId: 'route.orders',
    content: `# Of the requests to orders, 10 % go to the instances whose metadata says version=2.
virtual_hosts:
- name: orders
  domains: ["*"]
  routes:
  - match: { prefix: "/" }
    route:
      weighted_clusters:
        clusters:
        - { name: "orders~version=1", weight: 90 }
        - { name: "orders~version=2", weight: 10 }
`,
  },
  {
    name: 'Listener: HTTP with routes',
    dataId: 'listener.gateway',
    content: `# Envoy listens on port 10000 and takes its routes from the configuration route.orders.
address:
  socket_address: { address: 0.0.0.0, port_value: 10000 }
filter_chains:
- filters:
  - name: envoy.filters.network.http_connection_manager
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
      stat_prefix: gateway
      rds:
        route_config_name: orders
        config_source: { ads: {}, resource_api_version: V3 }
      http_filters:
      - name: envoy.filters.http.router
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
`,
  },
  {
    name: 'Cluster: settings of a service',
    dataId: 'cluster.orders',
    content: `# In place of the cluster that is made of the service; its endpoints stay those of the registry.
type: EDS
eds_cluster_config:
  eds_config: { ads: {}, resource_api_version: V3 }
connect_timeout: 0.5s
lb_policy: LEAST_REQUEST
circuit_breakers:
  thresholds:
  - { max_connections: 200, max_pending_requests: 100 }
outlier_detection: { consecutive_5xx: 5 }
`,
  },
];
