import type { Page } from './configs';
import { call, callAllNodes } from './http';

/** Clusters, endpoints, listeners, routes; in the order in which proxies need them. */
export type MeshType = 'cds' | 'eds' | 'lds' | 'rds';
/** The last three are of clients without a stream, which the server refused in the last ten minutes. */
export type MeshState = 'current' | 'waiting' | 'refusing' | 'starting' | 'refused' | 'denied' | 'unauthenticated';

export type TypeState = {
  type: MeshType;
  wildcard: boolean;
  /** How many it asks for by name, and how many it gets. */
  names: number;
  resources: number;
  sentVersion: string | null;
  acknowledgedVersion: string | null;
  state: MeshState;
  /** The proxy's own text, of a refusal. */
  error: string | null;
  since: number;
};

export type Proxy = {
  id: string;
  nodeId: string;
  nodeCluster: string;
  address: string;
  server: string;
  agent: string;
  flavour: string;
  protocol: string;
  namespaceId: string;
  user: string;
  tag: string;
  connectedAt: number;
  state: MeshState;
  /** Instances that it does not get, because their address is a host name. */
  hostNames: number;
  /** Why the server refused it, in the server's words. */
  reason?: string | null;
  types: TypeState[];
};

export type Subscription = { type: MeshType; names: string[]; truncated: boolean };

export type Refusal = { id: string; nodeId: string; type: MeshType; error: string; since: number };

/** {@code behind}: proxies that have not acknowledged the newest version of the resource that was asked for. */
export type MeshSummary = { proxies: number; current: number; waiting: number; refusing: number; starting: number; refused?: number; behind: number; refusals: Refusal[] };

export type MeshResource = { type: MeshType; name: string; typeUrl: string; version: string; source: 'registry' | 'stored'; json: unknown; bytes: number };

export type MeshConfigRow = { name: string; source: 'registry' | 'stored'; version: string; bytes: number };

export type ResourceProblem = { path: string; line: number; column: number; message: string };

export type CheckedResource = {
  valid: boolean;
  problems: ResourceProblem[];
  warnings: ResourceProblem[];
  clusters: { name: string; exists: boolean }[];
  routes?: { name: string; exists: boolean }[];
};

export const mesh = {
  proxies: (
    search: { namespaceId: string; state?: string; type?: string; node?: string; address?: string; resource?: string; page: number; size: number },
    signal?: AbortSignal,
  ) => {
    const { page, size, ...filter } = search;
    return callAllNodes<Page<Proxy>>('GET /v3/admin/mesh/proxies', { query: { ...filter, pageNo: page, pageSize: size }, signal });
  },

  proxy: (proxy: Proxy, signal?: AbortSignal) =>
    call<{ proxy: Proxy; subscriptions: Subscription[] }>('GET /v3/admin/mesh/proxy', { query: { id: proxy.id, namespaceId: proxy.namespaceId || 'public' }, signal }),

  summary: (search: { namespaceId: string; type?: MeshType; resource?: string }, signal?: AbortSignal) =>
    callAllNodes<MeshSummary>('GET /v3/admin/mesh/summary', { query: search, signal }),

  /** A resource as this proxy gets it. */
  resource: (type: MeshType, name: string, proxy: Proxy, signal?: AbortSignal) =>
    call<MeshResource>('GET /v3/admin/mesh/resource', { query: { type, name, proxy: proxy.id, namespaceId: proxy.namespaceId || 'public' }, signal }),

  /** The resources of a kind that this proxy gets, also where it asks for all. */
  config: (type: MeshType, proxy: Proxy, page: number, size: number, signal?: AbortSignal) =>
    call<Page<MeshConfigRow>>('GET /v3/admin/mesh/config', { query: { proxy: proxy.id, type, namespaceId: proxy.namespaceId || 'public', pageNo: page, pageSize: size }, signal }),

  check: (resource: { namespaceId: string; dataId: string; content: string }) => call<CheckedResource>('POST /v3/admin/mesh/check', { form: resource }),
};
