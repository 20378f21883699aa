import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from './api/http';

export type Remote<T> = {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload: () => void;
};

const RETRY_MILLIS = 2000;

/**
 * Loads something whenever its key changes: one request at a time, the newest wins, what is shown stays until its
 * successor is there. With {@code every} it is loaded again and again while the page is visible.
 */
export function useRemote<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  options: { every?: number; keep?: boolean } = {},
): Remote<T> {
  const [state, setState] = useState<{ key?: string; data?: T; error?: ApiError; loading: boolean }>({ loading: true });
  const [round, setRound] = useState(0);
  const loader = useRef(load);
  loader.current = load;
  const { every, keep = true } = options;

  useEffect(() => {
    if (key === undefined) return;
    let stopped = false;
    let timer: number | undefined;
    let running: AbortController | undefined;
    const run = async () => {
      window.clearTimeout(timer);
      running?.abort();
      const controller = new AbortController();
      running = controller;
      let again = every;
      try {
        const data = await loader.current(controller.signal);
        if (stopped || controller.signal.aborted) return;
        setState({ key, data, loading: false });
      } catch (failure) {
        if (stopped || controller.signal.aborted) return;
        const error = failure instanceof ApiError ? failure : new ApiError(-1, 0, String(failure));
        setState((old) => ({ key, data: error.unreachable && old.key === key ? old.data : undefined, error, loading: false }));
        if (error.unreachable) again = RETRY_MILLIS;
      }
      if (again && document.visibilityState === 'visible') timer = window.setTimeout(run, again);
    };
    const onVisible = () => {
      if (every && document.visibilityState === 'visible') void run();
      else if (every) window.clearTimeout(timer);
    };
    setState((old) => ({ ...old, data: keep || old.key === key ? old.data : undefined, loading: true }));
    void run();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      stopped = true;
      running?.abort();
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [key, round, every, keep]);

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
