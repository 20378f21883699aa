import type { ConfigName } from './configs';
import { callAllNodes } from './http';

/** The answer of a client that was asked for the digest of its content; {@code md5} is empty when it holds nothing. */
export type Held = { connectionId: string; node: string; md5: string; state: 'ANSWERED' | 'SILENT' | 'CANNOT_ANSWER' | 'NOT_CONNECTED' | 'BUSY' | 'TOO_LARGE' };

/** A configuration that a client listens to, as the server knows it. */
export type ListenedConfig = ConfigName & { md5: string; current: boolean; release: string };

export type EventKind = 'LISTENED' | 'NOTIFIED' | 'FOLLOWED' | 'BEHIND' | 'LEFT' | 'MISSING';

export type ClientEvent = ConfigName & {
  /** Epoch milliseconds. */
  at: number;
  event: EventKind;
  ip: string;
  app: string;
  instance: string;
  /** Its SDK. */
  client: string;
  connectionId: string;
  md5: string;
  /** Of MISSING: the events that could not be kept. */
  count?: number;
  node: string;
};

export type EventSearch = { connectionId?: string; ip?: string; appName?: string; instance?: string } & Partial<ConfigName>;

/** The largest number of clients that one question may name. */
export const MOST_ASKED = 100;

export const clients = {
  /** Asks the clients themselves; the answer takes up to 3 s. */
  held: (key: ConfigName, connectionIds: string[]) =>
    callAllNodes<Held[]>('GET /v3/admin/cs/config/watchers/held', { query: { ...key, connectionIds: connectionIds.join(',') } }),

  listens: (connectionId: string, signal?: AbortSignal) => callAllNodes<ListenedConfig[]>('GET /v3/admin/cs/client/configs', { query: { connectionId }, signal }),

  /** The newest first. */
  history: (search: EventSearch, size: number, signal?: AbortSignal) =>
    callAllNodes<ClientEvent[]>('GET /v3/admin/cs/client/history', { query: { ...search, pageNo: 1, pageSize: size }, signal }),
};
