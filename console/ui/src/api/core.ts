import { ApiError, call, callAllNodes } from './http';
import { session } from './session';

export type Namespace = {
  namespace: string;
  namespaceShowName: string;
  namespaceDesc: string | null;
  quota: number;
  configCount: number;
  type: number;
};

export type CopyOfNode = { owner: string; entries: number; behind: number; behindMillis: number; digestsEqual?: boolean };

/** A node as it describes itself; one that has not answered as the answering node knows it. */
export type NodeOfCluster = {
  address: string;
  answered: boolean;
  state: string;
  presence: string;
  reason?: string;
  version: string;
  startedAt: number;
  since: number;
  seenAt: number;
  connections: number;
  subscriptions: number;
  owned: number;
  mirrored: number;
  behind: number;
  behindMillis: number;
  digestsEqual?: boolean;
  revision: number;
  revisionsBehind: number;
  clockOffsetMillis?: number;
  copies: CopyOfNode[];
};

/** Of a single server {@code cluster} is false; {@code node} is the one that answers. */
export type ClusterStatus = { cluster: boolean; node: string; nodes: NodeOfCluster[] };

export type Connection = {
  metaInfo?: Record<string, unknown> & {
    connectType?: string;
    clientIp?: string;
    remoteIp?: string;
    remotePort?: number;
    version?: string;
    connectionId?: string;
    createTime?: string | number;
    lastActiveTime?: number;
    appName?: string;
    labels?: Record<string, string>;
  };
  connectionId?: string;
};

export type Limit = { name: string; setting: string; used: number; max: number; exceeded: number };

export type Finding = {
  kind: 'DATABASE_AWAY' | 'WRITES_REFUSED' | 'DATABASE_DAMAGED' | 'DATABASE_LOST_COMMITS' | 'WRITE_LOCK_HELD' | 'FOLLOWING_FAILS' | 'ROWS_LEFT_OUT' | 'CASE_IGNORED' | 'DATABASE_PAGES_OLD' | 'DISK_FULL' | 'PASSWORD_UNCHANGED' | 'LDAP_USERS' | 'ISSUER_AWAY' | 'ISSUER_MISFIT' | 'DIRECTORY_AWAY' | 'PERMISSIONS_WITHOUT_EFFECT' | 'CERTIFICATE_ENDS' | 'LIMIT_NEAR' | 'HOST_REFUSED' | 'PROXY_PATH_UNKNOWN' | 'LISTENERS_BEHIND' | 'BEATS_REFUSED' | 'INSTANCES_NOT_BACK' | 'NODE_AWAY' | 'NODE_BEHIND' | 'KEYS_DIFFER' | 'SETTINGS_DIFFER' | 'COPIES_DIFFER' | 'CLOCK_OFF' | 'MESH_RESOURCE_UNREADABLE' | 'MESH_PROXY_REFUSES' | 'MESH_PROXY_WAITS' | 'MESH_SERVICE_SETTING';
  urgent: boolean;
  subject: string;
  groupName: string;
  detail: string;
  used: number;
  max: number;
  /** Since when it has been so, and the cause alone, where the server knows them. */
  since?: number;
  reason?: string;
  /** The nodes of a cluster that report it. */
  nodes?: string[];
};

/** Of one period, in microseconds; without acknowledgements all are 0. */
export type PushSample = { at: number; count: number; meanMicros: number; p99Micros: number; maxMicros: number };

export type PushLatency = { periodSeconds: number; config: PushSample[]; service: PushSample[] };

/** What a service's client list tells of each entry. */
export type ServiceOfClient = { groupName: string; serviceName: string };

export type ClientWithoutLogin = {
  address: string;
  application: string;
  sdk: string;
  protocol: string;
  namespace: string;
  user: string;
  reason: 'login' | 'token' | 'right';
  right: string;
  requests: number;
  since: number;
  lastSeen: number;
  connected: boolean;
};

/** One node's clients; none when they need a login. */
export type WithoutLogin = {
  node: string;
  clientsNeedLogin: boolean;
  /** Whether there are users, and clients need no login yet. */
  observed: boolean;
  rehearsal: boolean;
  since: number;
  incomplete: boolean;
  clients: ClientWithoutLogin[];
};

export const core = {
  limits: (signal?: AbortSignal) => call<Limit[]>('GET /v3/admin/core/limits', { signal }),

  attention: (namespaceId: string, signal?: AbortSignal) => callAllNodes<Finding[]>('GET /v3/admin/core/attention', { query: { namespaceId }, signal }),

  pushLatency: (signal?: AbortSignal) => callAllNodes<PushLatency>('GET /v3/admin/core/push/latency', { signal }),

  /** Asks the client to connect to another server, or anew: as close to a disconnect as leaves it working. */
  disconnect: (connectionId: string, redirectAddress?: string) =>
    call<null>('POST /v3/admin/core/loader/reloadClient', { form: { connectionId, redirectAddress } }),

  /** Configurations by connection, each as dataId+group+namespace with the md5 that the client has. */
  listens: (ip: string, signal?: AbortSignal) =>
    call<Record<string, Record<string, string>>>('GET /v3/admin/cs/metrics/cluster', { query: { ip }, signal }),

  subscribed: (clientId: string, signal?: AbortSignal) =>
    call<ServiceOfClient[]>('GET /v3/admin/ns/client/subscribe/list', { query: { clientId }, signal }),

  registered: (clientId: string, signal?: AbortSignal) =>
    call<ServiceOfClient[]>('GET /v3/admin/ns/client/publish/list', { query: { clientId }, signal }),

  state: (signal?: AbortSignal) => call<Record<string, string | null>>('GET /v3/console/server/state', { signal }),

  /** Why requests cannot be served; undefined when they can. */
  async notReady(signal?: AbortSignal): Promise<string | undefined> {
    try {
      await call('GET /v3/console/health/readiness', { signal });
      return undefined;
    } catch (failure) {
      if (failure instanceof ApiError && !failure.unreachable) return failure.message;
      throw failure;
    }
  },

  namespaces: (signal?: AbortSignal) => call<Namespace[]>('GET /v3/admin/core/namespace/list', { signal }),

  /** Without an id the server makes one up. */
  createNamespace: (namespaceId: string, namespaceName: string, namespaceDesc: string) =>
    call<boolean>('POST /v3/admin/core/namespace', { form: { namespaceId, namespaceName, namespaceDesc } }),

  updateNamespace: (namespaceId: string, namespaceName: string, namespaceDesc: string) =>
    call<boolean>('PUT /v3/admin/core/namespace', { form: { namespaceId, namespaceName, namespaceDesc }, blanks: true }),

  removeNamespace: (namespaceId: string) => call<boolean>('DELETE /v3/admin/core/namespace', { query: { namespaceId } }),

  clusterStatus: (signal?: AbortSignal) => callAllNodes<ClusterStatus>('GET /v3/admin/core/cluster/status', { signal }),

  drain: (address: string) => call<string>('POST /v3/admin/core/cluster/node/drain', { form: { address } }),

  undrain: (address: string) => call<string>('POST /v3/admin/core/cluster/node/undrain', { form: { address } }),

  rebalance: () => call<string>('POST /v3/admin/core/cluster/rebalance', {}),

  /** The clients that a login for clients would refuse, by node. */
  withoutLogin: (signal?: AbortSignal) => callAllNodes<WithoutLogin[]>('GET /v3/admin/auth/without-login', { signal }),

  /** The clients that are connected to any node. */
  connections: (signal?: AbortSignal) =>
    callAllNodes<{ node: string; connection: Connection }[]>('GET /v3/admin/core/connection/list', { signal }),

  metrics: (signal?: AbortSignal) =>
    call<Record<string, unknown>>('GET /v3/admin/ns/ops/metrics', { query: { onlyStatus: false }, signal }),

  /** The end of a login at the issuer. */
  async signInByCode(code: string): Promise<void> {
    const begun = Date.now();
    const answer = await call<{ accessToken: string; tokenTtl: number; username: string; globalAdmin: boolean }>('GET /v1/auth/oidc/exchange', { query: { code } });
    const { username, globalAdmin } = answer;
    session.signedIn(answer.accessToken, { username, globalAdmin, mustChangePassword: false, issued: true }, begun + answer.tokenTtl * 1000);
  },

  async signIn(username: string, password: string): Promise<void> {
    const begun = Date.now();
    const answer = await call<{ accessToken: string; tokenTtl: number; username?: string; globalAdmin?: boolean; mustChangePassword?: boolean }>(
      'POST /v3/auth/user/login',
      { form: { username, password } },
    );
    session.signedIn(answer.accessToken, {
      username: answer.username ?? username,
      globalAdmin: answer.globalAdmin === true,
      mustChangePassword: answer.mustChangePassword === true,
    }, begun + answer.tokenTtl * 1000);
  },
};
