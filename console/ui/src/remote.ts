import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from './api/http';
import { follow, type LiveEvent, type Topic } from './live';

export type Remote<T> = {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload: () => void;
};

const RETRY_MILLIS = 2000;
/** After an answer that says the server could not, such as one without its database. */
const FAILED_RETRY_MILLIS = 5000;
/** How often a view that is told of changes asks all the same. */
const SAFETY_MILLIS = 30_000;
/** What happens together is read together. */
const GATHER_MILLIS = 150;

/** Events after which a view is loaded anew. */
export type Live = Topic & { when: (event: LiveEvent) => boolean };

/**
 * Loads something whenever its key changes: one request at a time, the newest wins, what is shown stays until its
 * successor is there. With {@code every} it is loaded again and again while the page is visible, and with {@code live}
 * when the server tells of something instead, as long as it does; so it is loaded every {@code gather} milliseconds at most.
 * What failed and may pass is asked for again by itself.
 */
export function useRemote<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  options: { every?: number; keep?: boolean; live?: Live; gather?: number } = {},
): Remote<T> {
  const [state, setState] = useState<{ key?: string; data?: T; error?: ApiError; loading: boolean }>({ loading: true });
  const [round, setRound] = useState(0);
  const loader = useRef(load);
  loader.current = load;
  const { every, keep = true, live, gather = GATHER_MILLIS } = options;
  const wanted = useRef(live?.when);
  wanted.current = live?.when;
  const topic = live && every ? JSON.stringify([live.namespaceId, live.groupName, live.dataId]) : undefined;

  useEffect(() => {
    if (key === undefined) return;
    let stopped = false;
    let timer: number | undefined;
    let running: AbortController | undefined;
    let busy = false;
    let stale = false;
    let begun = 0;
    let mayPass = false;
    let stream: ReturnType<typeof follow> | undefined;
    const run = async () => {
      window.clearTimeout(timer);
      running?.abort();
      const controller = new AbortController();
      running = controller;
      busy = true;
      begun = Date.now();
      stale = false;
      let again = every && stream?.isLive() ? Math.max(every, SAFETY_MILLIS) : every;
      try {
        const data = await loader.current(controller.signal);
        if (stopped || controller.signal.aborted) return;
        mayPass = false;
        setState({ key, data, loading: false });
      } catch (failure) {
        if (stopped || controller.signal.aborted) return;
        const error = failure instanceof ApiError ? failure : new ApiError(-1, 0, String(failure));
        setState((old) => ({ key, data: (error.unreachable || error.temporary) && old.key === key ? old.data : undefined, error, loading: false }));
        mayPass = error.unreachable || error.temporary;
        if (error.unreachable) again = RETRY_MILLIS;
        else if (error.temporary) again = Math.min(again ?? FAILED_RETRY_MILLIS, FAILED_RETRY_MILLIS);
      }
      busy = false;
      if (stale) again = gather;
      if (again && document.visibilityState === 'visible') timer = window.setTimeout(run, again);
    };
    const onEvent = (event: LiveEvent | null) => {
      if (stopped || document.visibilityState !== 'visible' || (event && !wanted.current?.(event))) return;
      // A request under way may have seen the state before: one more follows it.
      if (busy) stale = true;
      else {
        window.clearTimeout(timer);
        // Who gathers for long is not put off by each further event.
        timer = window.setTimeout(run, Math.max(gather - (Date.now() - begun), GATHER_MILLIS));
      }
    };
    const onVisible = () => {
      if (!every && !mayPass) return;
      if (document.visibilityState === 'visible') void run();
      else window.clearTimeout(timer);
    };
    setState((old) => ({ ...old, data: keep || old.key === key ? old.data : undefined, loading: true }));
    void run();
    if (topic) {
      const [namespaceId, groupName, dataId] = JSON.parse(topic) as [string, string | undefined, string | undefined];
      stream = follow({ namespaceId, groupName: groupName ?? undefined, dataId: dataId ?? undefined }, onEvent);
    }
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      stopped = true;
      running?.abort();
      stream?.end();
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [key, round, every, keep, topic, gather]);

  const reload = useCallback(() => setRound((n) => n + 1), []);
  return { data: state.data, error: state.error, loading: state.loading, reload };
}

/** The value as it was some time ago, for requests while someone types. */
export function useSettled<T>(value: T, millis: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), millis);
    return () => window.clearTimeout(timer);
  }, [value, millis]);
  return settled;
}
