import { openToAll, type Endpoint } from './endpoints';
import { session } from './session';

/** The server's root, with a closing slash: below it lie the API and the console's own views. */
export const serverRoot = new URL('.', document.baseURI);

/** An answer other than success, or none at all (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }

  get unreachable(): boolean {
    return this.status === 0;
  }

  /** The same may be answered in a moment: the server was too busy, or its database is away. */
  get temporary(): boolean {
    return [429, 502, 503, 504].includes(this.status);
  }

  /** Of a configuration 20004, of a service 21008 with another status. */
  get absent(): boolean {
    return this.status === 404 || this.code === 20004 || this.code === 21008;
  }

  get conflict(): boolean {
    return this.code === 20005 || this.status === 409;
  }
}

type Values = Record<string, string | number | boolean | undefined | null>;

export type Options = {
  query?: Values;
  form?: Values;
  /** Sends the empty fields of the form, too: they empty what is stored. */
  blanks?: boolean;
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

function encode(values: Values, blanks = false): URLSearchParams {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null && (blanks || value !== '')) out.set(name, String(value));
  }
  return out;
}

function splitEndpoint(endpoint: Endpoint, query: Values | undefined): [string, URL] {
  const space = endpoint.indexOf(' ');
  const url = new URL(endpoint.slice(space + 2), serverRoot);
  if (query) url.search = encode(query).toString();
  return [endpoint.slice(0, space), url];
}

/** Sends a request; asks for a sign-in over the page when the server wants one, and then sends it again. */
export async function send(endpoint: Endpoint, options: Options = {}): Promise<Response> {
  for (;;) {
    const tries = !openToAll.has(endpoint) && (await session.ready());
    const token = session.token();
    const [method, url] = splitEndpoint(endpoint, options.query);
    const headers: Record<string, string> = { ...options.headers };
    if (token) headers['Authorization'] = `Bearer ${token}`;
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers,
        body: options.form ? encode(options.form, options.blanks) : options.body,
        signal: options.signal,
        cache: 'no-store',
      });
    } catch (failure) {
      if (tries) session.tried(token, false);
      if (options.signal?.aborted) throw failure;
      reachability.lost();
      throw new ApiError(0, 0, 'The server cannot be reached.');
    }
    reachability.found();
    const isRefused = !openToAll.has(endpoint) && (await wantsSignIn(response, token));
    if (isRefused) session.refuse(token);
    if (tries) session.tried(token, !isRefused);
    if (isRefused) continue;
    return response;
  }
}

async function wantsSignIn(response: Response, token: string | undefined): Promise<boolean> {
  if (response.status === 401) return true;
  if (response.status !== 403) return false;
  if (!token) return true;
  return /token|user not found/i.test(await response.clone().text());
}

/** The data of an enveloped answer. */
export async function call<T>(endpoint: Endpoint, options: Options = {}): Promise<T> {
  return (await callAllNodes<T>(endpoint, options)).data;
}

/** Data that is gathered from all nodes of a cluster, and the nodes whose part is missing. */
export type OfAllNodes<T> = { data: T; silent: string[] };

/** The data of an enveloped answer, and the nodes that it says have not answered. */
export async function callAllNodes<T>(endpoint: Endpoint, options: Options = {}): Promise<OfAllNodes<T>> {
  const response = await send(endpoint, options);
  const text = await response.text();
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = text;
  }
  const envelope = typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  const code = typeof envelope.code === 'number' ? envelope.code : 0;
  if (!response.ok || (code !== 0 && code !== 200)) {
    const said = [envelope.data, envelope.message, envelope.error, text].find((v) => typeof v === 'string' && v !== '');
    throw new ApiError(response.status, code, clean(String(said ?? `HTTP ${response.status}`)));
  }
  return {
    data: ('code' in envelope && 'data' in envelope ? envelope.data : answer) as T,
    silent: Array.isArray(envelope.silentNodes) ? envelope.silentNodes.map(String) : [],
  };
}

function clean(message: string): string {
  return message.replace(/^caused: /, '').replace(/^Code: \d+, Message: /, '').slice(0, 600);
}

/** Whether the server answered the last request at all. */
export const reachability = (() => {
  let reachable = true;
  const listeners = new Set<() => void>();
  const set = (value: boolean) => {
    if (value !== reachable) {
      reachable = value;
      listeners.forEach((listener) => listener());
    }
  };
  return {
    lost: () => set(false),
    found: () => set(true),
    get: () => reachable,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
})();
