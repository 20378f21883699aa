import { ApiError, call, callAllNodes, send, type OfAllNodes } from './http';

export type Page<T> = { totalCount: number; pageNumber: number; pagesAvailable: number; pageItems: T[] };

export type ConfigName = { namespaceId: string; groupName: string; dataId: string };

/** A version for some clients only, beside the one for all others. */
export type GrayRelease = { grayName: string; grayRule: string; md5: string; modifyTime: number };

export type ConfigSummary = ConfigName & {
  id: string;
  md5: string;
  type: string | null;
  appName: string | null;
  createTime: number;
  modifyTime: number;
  /** Lacking where there is none. */
  grayReleases?: GrayRelease[];
};

export type Config = ConfigSummary & {
  content: string;
  desc: string | null;
  configTags: string | null;
  createUser: string | null;
  createIp: string | null;
  encryptedDataKey?: string | null;
};

export type Beta = Config & { grayName: string; grayRule: string };

/** The key that a client's plug-in has encrypted the content with: that of the version with this content, none for other content. */
export function keyOf(content: string, ...versions: ({ content?: string; encryptedDataKey?: string | null } | null | undefined)[]): string {
  return versions.find((version) => version?.content === content)?.encryptedDataKey ?? '';
}

export type Draft = { content: string; type: string; desc?: string; configTags?: string; appName?: string; encryptedDataKey: string };

/** The author of the version: the user, or on a server without users the address. Empty when the server knows neither. */
export function authorOf(config: Config): string {
  return config.createUser || config.createIp || '';
}

export type HistoryEntry = ConfigName & {
  id: string;
  md5: string;
  modifyTime: number;
  createTime: number;
  srcIp: string | null;
  srcUser: string | null;
  opType: string;
  publishType: string | null;
  grayName?: string | null;
  content?: string;
  encryptedDataKey?: string | null;
};

/** A client that listens. A caller without the right to know it is told of {@code clientIp} and {@code md5} alone. */
export type Watcher = {
  clientIp: string;
  /** Empty for a poll. */
  connectionId: string;
  client: string;
  md5: string;
  current?: boolean;
  app?: string;
  instance?: string;
  labels?: Record<string, string>;
  /** Epoch milliseconds; 0 for a poll. */
  since?: number;
  /** The release that it is served; empty for the content for all. */
  release?: string;
  /** Whether it can be asked which content it holds. */
  asks?: boolean;
  node?: string;
};

export type ImportResult = { succCount: number; skipCount: number; failData?: { dataId: string; group: string }[] };

export type ImportPreview = {
  create: number;
  update: number;
  same: number;
  skip: number;
  fail: number;
  items: {
    groupName: string;
    dataId: string;
    action: 'CREATE' | 'UPDATE' | 'SAME' | 'SKIP' | 'FAIL';
    diff: string;
    diffIsCut: boolean;
  }[];
  unrecognizedData?: { itemName: string; reason: string }[];
};

export type ConfigSearch = {
  namespaceId: string;
  dataId?: string;
  groupName?: string;
  content?: string;
  tags?: string;
  types?: string;
  appName?: string;
  sort?: string;
  order?: string;
  page: number;
  size: number;
};

/** What is typed matches anywhere in the field, unless the reader places the stars himself. */
export function anywhere(text: string | undefined): string | undefined {
  if (!text) return undefined;
  return text.includes('*') ? text : `*${text}*`;
}

function name({ namespaceId, groupName, dataId }: ConfigName) {
  return { namespaceId, groupName, dataId };
}

export const configs = {
  list: (search: ConfigSearch, signal?: AbortSignal) =>
    call<Page<ConfigSummary>>('GET /v3/admin/cs/config/list', {
      query: {
        namespaceId: search.namespaceId,
        dataId: anywhere(search.dataId),
        groupName: anywhere(search.groupName),
        configDetail: anywhere(search.content),
        configTags: search.tags,
        type: search.types,
        appName: search.appName,
        search: 'blur',
        sort: search.sort,
        order: search.order,
        pageNo: search.page,
        pageSize: search.size,
      },
      signal,
    }),

  get: (key: ConfigName, signal?: AbortSignal) => call<Config>('GET /v3/admin/cs/config', { query: name(key), signal }),

  /** Stores the content if the stored one still has that digest. */
  publish: (
    key: ConfigName,
    draft: Draft,
    options: { expectedMd5?: string; betaIps?: string } = {},
  ) => {
    const headers: Record<string, string> = {};
    if (options.expectedMd5) headers.casMd5 = options.expectedMd5;
    if (options.betaIps) headers.betaIps = options.betaIps;
    return call<boolean>('POST /v3/admin/cs/config', { form: { ...name(key), ...draft }, blanks: true, headers });
  },

  /** Stores the content if there is no such configuration; a conflict says that there is one. */
  create: (
    key: ConfigName,
    draft: Draft,
  ) =>
    call<unknown>('POST /v3/admin/cs/config/changeset', {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ changes: [{ ...name(key), ...draft, expectedMd5: '' }] }),
    }),

  remove: (key: ConfigName) => call<boolean>('DELETE /v3/admin/cs/config', { query: name(key) }),

  removeAll: (namespaceId: string, ids: string[]) =>
    call<boolean>('DELETE /v3/admin/cs/config/batch', { query: { namespaceId, ids: ids.join(',') } }),

  listeners: (key: ConfigName, signal?: AbortSignal) =>
    callAllNodes<{ listenersStatus: Record<string, string> | null }>('GET /v3/admin/cs/config/listener', { query: name(key), signal }),

  /** Every client that listens, one by one; who may not know the clients is told of addresses. */
  async watchers(key: ConfigName, signal?: AbortSignal): Promise<OfAllNodes<Watcher[]>> {
    try {
      return await callAllNodes<Watcher[]>('GET /v3/admin/cs/config/watchers', { query: name(key), signal });
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.status !== 403) throw failure;
      const { data, silent } = await configs.listeners(key, signal);
      return { data: Object.entries(data.listenersStatus ?? {}).map(([clientIp, md5]) => ({ clientIp, md5, connectionId: clientIp, client: '' })), silent };
    }
  },

  beta: (key: ConfigName, signal?: AbortSignal) => call<Beta>('GET /v3/admin/cs/config/beta', { query: name(key), signal }),

  stopBeta: (key: ConfigName) => call<boolean>('DELETE /v3/admin/cs/config/beta', { query: name(key) }),

  history: (key: ConfigName, page: number, size: number, signal?: AbortSignal) =>
    call<Page<HistoryEntry>>('GET /v3/admin/cs/history/list', { query: { ...name(key), pageNo: page, pageSize: size }, signal }),

  historyEntry: (key: ConfigName, nid: string, signal?: AbortSignal) =>
    call<HistoryEntry>('GET /v3/admin/cs/history', { query: { ...name(key), nid }, signal }),

  clone: (targetNamespace: string, policy: string, chosen: ConfigSummary[]) =>
    call<Record<string, unknown>>('POST /v3/admin/cs/config/clone', {
      query: { namespaceId: targetNamespace, policy },
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(chosen.map((c) => ({ configId: c.id, targetGroupName: c.groupName, targetDataId: c.dataId }))),
    }),

  cloneAll: (sourceNamespaceId: string, namespaceId: string, policy: string) =>
    call<ImportResult>('POST /v3/admin/cs/config/clone/namespace', { form: { sourceNamespaceId, namespaceId, policy } }),

  previewCloneAll: (sourceNamespaceId: string, namespaceId: string, policy: string, signal?: AbortSignal) =>
    call<ImportPreview>('POST /v3/admin/cs/config/clone/namespace', { form: { sourceNamespaceId, namespaceId, policy, dryRun: true }, signal }),

  /** Downloads through a request of our own, for a link could not carry the sign-in. */
  async download(namespaceId: string, ids: string[]): Promise<Blob> {
    const response = await send('GET /v3/admin/cs/config/export', { query: { namespaceId, ids: ids.join(',') } });
    if (!response.ok) throw new Error(await response.text());
    return response.blob();
  },

  import: (namespaceId: string, policy: string, file: File) =>
    call<ImportResult>('POST /v3/admin/cs/config/import', { query: { namespaceId, policy }, body: archive(file) }),

  previewImport: (namespaceId: string, policy: string, file: File) =>
    call<ImportPreview>('POST /v3/admin/cs/config/import', { query: { namespaceId, policy, dryRun: true }, body: archive(file) }),
};

function archive(file: File): FormData {
  const body = new FormData();
  body.set('file', file);
  return body;
}
