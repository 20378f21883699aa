import type { Page } from './configs';
import { call, callAllNodes } from './http';

export type ServiceName = { namespaceId: string; groupName: string; serviceName: string };

export type ServiceSummary = {
  name: string;
  groupName: string;
  clusterCount: number;
  ipCount: number;
  healthyInstanceCount: number;
  triggerFlag: string;
};

export type HealthChecker = { type: string; path?: string; headers?: string; expectedResponseCode?: number; user?: string; cmd?: string };

export type Cluster = {
  clusterName: string;
  healthChecker: HealthChecker;
  healthyCheckPort: number;
  useInstancePortForCheck: boolean;
  metadata: Record<string, string>;
};

export type LossCause = 'EXPIRED' | 'CONNECTION_CLOSED' | 'DEREGISTERED' | 'REMOVED' | 'NOT_BACK';

/** A loss of `count` instances, or what happened to the drain of an instance, with the number of consumers that have it. */
export type TimelineEntry = { time: number; instance: string; count: number; waiting: number; by?: string } & (
  | { kind: 'LOST'; event: LossCause }
  | { kind: 'DRAIN'; event: 'BEGUN' | 'ACKNOWLEDGED' | 'UNACKNOWLEDGED' | 'ENDED' | 'DEREGISTERED' | 'EXPIRED' }
);

export type Service = ServiceName & {
  clusterMap: Record<string, Cluster>;
  metadata: Record<string, string>;
  protectThreshold: number;
  selector: { type: string; expression?: string };
  ephemeral: boolean;
  instanceCount: number;
  healthyInstanceCount: number;
};

export type Instance = {
  instanceId: string;
  ip: string;
  port: number;
  weight: number;
  healthy: boolean;
  enabled: boolean;
  ephemeral: boolean;
  clusterName: string;
  metadata: Record<string, string>;
  /** Since when it has been healthy or unhealthy. */
  healthSince?: number;
  unhealthyBecause?: string;
  /** Of an instance that beats over HTTP. */
  lastBeat?: number;
  lastCheck?: { time: number; passed: boolean; text: string };
  /** The end of its drain. */
  drainedUntil?: number;
};

/** A drain after the wait for its subscribers, without those of silent nodes. */
export type Drained = { until: number; acknowledged: boolean; subscribers: number; waiting: { ip: string; app: string; agent: string }[] };

/** Clients that nothing of this distinguishes are one; without clusters they subscribe to all. */
export type Subscriber = { ip: string; port: number; agent: string; appName: string; clusters?: string };

function name({ namespaceId, groupName, serviceName }: ServiceName) {
  return { namespaceId, groupName, serviceName };
}

export type InstanceSearch = { text: string; sort?: string; order?: 'asc' | 'desc'; page: number; size: number };

export type InstanceChanges = Partial<Pick<Instance, 'weight' | 'enabled' | 'metadata'>>;

export const services = {
  list: (
    search: {
      namespaceId: string;
      service?: string;
      group?: string;
      ignoreEmpty?: boolean;
      health?: string;
      sort?: string;
      order?: string;
      page: number;
      size: number;
    },
    signal?: AbortSignal,
  ) =>
    call<Page<ServiceSummary>>('GET /v3/admin/ns/service/list', {
      query: {
        namespaceId: search.namespaceId,
        serviceNameParam: search.service,
        groupNameParam: search.group,
        ignoreEmptyService: search.ignoreEmpty,
        health: search.health,
        sort: search.sort,
        order: search.order,
        pageNo: search.page,
        pageSize: search.size,
      },
      signal,
    }),

  get: (key: ServiceName, signal?: AbortSignal) => call<Service>('GET /v3/admin/ns/service', { query: { ...name(key), withCounts: true }, signal }),

  create: (key: ServiceName, settings: { protectThreshold: number; metadata: string; ephemeral: boolean }) =>
    call<string>('POST /v3/admin/ns/service', { form: { ...name(key), ...settings } }),

  update: (key: ServiceName, settings: { protectThreshold: number; metadata: string; selector: string }) =>
    call<string>('PUT /v3/admin/ns/service', { form: { ...name(key), ...settings } }),

  remove: (key: ServiceName) => call<string>('DELETE /v3/admin/ns/service', { query: name(key) }),

  subscribers: (key: ServiceName, page: number, size: number, signal?: AbortSignal) =>
    callAllNodes<Page<Subscriber>>('GET /v3/admin/ns/service/subscribers', {
      query: { ...name(key), pageNo: page, pageSize: size },
      signal,
    }),

  updateCluster: (
    key: ServiceName,
    cluster: { clusterName: string; checkPort: number; useInstancePort4Check: boolean; healthChecker: string; metadata: string },
  ) => call<string>('PUT /v3/admin/ns/cluster', { form: { ...name(key), ...cluster } }),

  /** A page of the instances of a cluster. */
  instances: (key: ServiceName, clusterName: string, search: InstanceSearch, signal?: AbortSignal) =>
    call<Page<Instance>>('GET /v3/console/ns/instance/list', {
      query: { ...name(key), clusterName, search: search.text, sort: search.sort, order: search.order, pageNo: search.page, pageSize: search.size },
      signal,
    }),

  register: (
    key: ServiceName,
    instance: { ip: string; port: number; clusterName: string; weight: number; metadata: string; ephemeral: boolean; enabled: boolean },
  ) => call<string>('POST /v3/admin/ns/instance', { form: { ...name(key), ...instance } }),

  /** What is given stays so when the instance registers again; the rest remains what its client says. */
  changeInstance: (key: ServiceName, instance: Instance, changes: InstanceChanges) =>
    call<string>('PUT /v3/admin/ns/instance/partial', {
      form: {
        ...name(key),
        ip: instance.ip,
        port: instance.port,
        clusterName: instance.clusterName,
        weight: changes.weight,
        enabled: changes.enabled,
        metadata: changes.metadata && JSON.stringify(changes.metadata),
      },
    }),

  /** Newest first. */
  timeline: (key: ServiceName, signal?: AbortSignal) =>
    callAllNodes<TimelineEntry[]>('GET /v3/admin/ns/service/timeline', { query: name(key), signal }),

  /** Who has the list without the instance at this moment. */
  drainProgress: (key: ServiceName, instance: Instance) =>
    callAllNodes<Drained>('GET /v3/admin/ns/instance/drain', {
      query: { ...name(key), ip: instance.ip, port: instance.port, clusterName: instance.clusterName },
    }),

  /** Answers when the subscribers have the list without the instance, or after 10 s. */
  drain: (key: ServiceName, instance: Instance, force: boolean) =>
    callAllNodes<Drained>('PUT /v3/admin/ns/instance/drain', {
      form: { ...name(key), ip: instance.ip, port: instance.port, clusterName: instance.clusterName, wait: '10s', for: '1h', force },
    }),

  deregister: (key: ServiceName, instance: Instance) =>
    call<string>('DELETE /v3/admin/ns/instance', {
      query: {
        ...name(key),
        ip: instance.ip,
        port: instance.port,
        clusterName: instance.clusterName,
        ephemeral: instance.ephemeral,
      },
    }),
};
