import { send } from './api/http';

/** What the server tells as it happens; only a hint, after which a view reads what it shows. */
export type LiveEvent = {
  kind: string;
  namespaceId?: string;
  groupName?: string;
  dataId?: string;
  serviceName?: string;
};

/** What a stream is about: a namespace, and the listeners of one configuration of it if that is given. */
export type Topic = { namespaceId: string; groupName?: string; dataId?: string };

/** Called with null when the stream begins or ends: what happened in between is not known. */
type Follower = (event: LiveEvent | null) => void;

type Line = { followers: Set<Follower>; live: boolean; stop: AbortController };

const RETRY_MILLIS = 1_000;
const REFUSED_MILLIS = 30_000;
/** The server says something every ten seconds; one that is silent for longer has gone. */
const SILENCE_MILLIS = 25_000;

const lines = new Map<string, Line>();

function show() {
  const all = [...lines.values()];
  document.documentElement.dataset.live = all.length === 0 ? '' : all.every((line) => line.live) ? 'on' : 'off';
}

/** Follows a topic while the page is visible; views of the same topic share one stream. */
export function follow(topic: Topic, follower: Follower): { isLive: () => boolean; end: () => void } {
  const key = JSON.stringify([topic.namespaceId, topic.groupName, topic.dataId]);
  let line = lines.get(key);
  if (!line) {
    line = { followers: new Set(), live: false, stop: new AbortController() };
    lines.set(key, line);
    void run(topic, line);
  }
  const joined = line;
  joined.followers.add(follower);
  show();
  return {
    isLive: () => joined.live,
    end: () => {
      joined.followers.delete(follower);
      // A view that is drawn anew comes back at once.
      window.setTimeout(() => {
        if (joined.followers.size === 0 && lines.get(key) === joined) {
          lines.delete(key);
          joined.stop.abort();
          show();
        }
      }, 200);
    },
  };
}

async function run(topic: Topic, line: Line) {
  while (!line.stop.signal.aborted) {
    await visible(line.stop.signal);
    let wait = RETRY_MILLIS;
    const broken = new AbortController();
    const breakOff = () => broken.abort();
    const breakOffHidden = () => document.visibilityState === 'hidden' && broken.abort();
    line.stop.signal.addEventListener('abort', breakOff);
    window.addEventListener('offline', breakOff);
    document.addEventListener('visibilitychange', breakOffHidden);
    try {
      const response = await send('GET /v3/admin/core/events', { query: topic, signal: broken.signal });
      if (response.ok && response.body && response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
        await read(response.body, line, broken);
      } else {
        // This server does not tell, or not to this reader: the views ask again and again instead.
        await response.body?.cancel();
        wait = REFUSED_MILLIS;
      }
    } catch {
      // Whoever cannot be reached is asked again.
    } finally {
      broken.abort();
      line.stop.signal.removeEventListener('abort', breakOff);
      window.removeEventListener('offline', breakOff);
      document.removeEventListener('visibilitychange', breakOffHidden);
    }
    if (line.live) tell(line, false);
    await pause(wait, line.stop.signal);
  }
}

function tell(line: Line, live: boolean) {
  line.live = live;
  show();
  line.followers.forEach((follower) => follower(null));
}

async function read(body: ReadableStream<Uint8Array>, line: Line, broken: AbortController) {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = '';
  for (;;) {
    const silence = window.setTimeout(() => broken.abort(), SILENCE_MILLIS);
    const { done, value } = await reader.read().finally(() => window.clearTimeout(silence));
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = parse(text.slice(0, end));
      text = text.slice(end + 2);
      if (event?.kind === 'hello') tell(line, true);
      else if (event?.kind === 'reload') line.followers.forEach((follower) => follower(null));
      else if (event) line.followers.forEach((follower) => follower(event));
    }
  }
}

function parse(block: string): LiveEvent | undefined {
  let kind = '';
  let data = '';
  for (const row of block.split('\n')) {
    if (row.startsWith('event: ')) kind = row.slice(7);
    else if (row.startsWith('data: ')) data += row.slice(6);
  }
  return kind ? { ...(JSON.parse(data || '{}') as object), kind } : undefined;
}

/** A tab that nobody looks at holds no connection: browsers allow only a few to one server. */
function visible(stop: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') return Promise.resolve();
  return new Promise((resolve) => {
    const go = () => {
      if (document.visibilityState !== 'visible' && !stop.aborted) return;
      document.removeEventListener('visibilitychange', go);
      resolve();
    };
    document.addEventListener('visibilitychange', go);
    stop.addEventListener('abort', go);
  });
}

function pause(millis: number, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, millis);
    stop.addEventListener('abort', () => {
      window.clearTimeout(timer);
      resolve();
    });
  });
}
