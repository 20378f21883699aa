import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { serverRoot } from './api/http';

/** Views live below ui/, so that no path of the API is ever taken for one. */
const ROOT = serverRoot.pathname + 'ui/';
const listeners = new Set<() => void>();
let guard: (() => string | undefined) | undefined;
let shown = location.href;

/** What is being looked at; tabs and filters are other addresses of the same. */
function subject(address: string): string {
  const url = new URL(address, location.href);
  return [url.pathname, ...['ns', 'group', 'dataId', 'service'].map((name) => url.searchParams.get(name))].join('\n');
}

function notify() {
  shown = location.href;
  listeners.forEach((listener) => listener());
}

window.addEventListener('popstate', () => {
  const question = guard?.();
  if (question && subject(shown) !== subject(location.href) && !window.confirm(question)) {
    history.pushState(null, '', shown);
    return;
  }
  notify();
});

window.addEventListener('beforeunload', (event) => {
  if (guard?.()) event.preventDefault();
});

/** The address of a view: a path below ui/ with its query. */
export function href(view: string): string {
  return ROOT + view;
}

export function navigate(view: string, options: { replace?: boolean; unguarded?: boolean } = {}) {
  const target = href(view);
  const question = options.unguarded ? undefined : guard?.();
  if (question && subject(target) !== subject(location.href) && !window.confirm(question)) return;
  if (options.replace) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  notify();
  if (!options.replace) window.scrollTo(0, 0);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePath(): string {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : '';
}

export type Changes = Record<string, string | undefined>;

/** The query of the address, and a way to change some of it; all that a view shows is found again by its address. */
export function useQuery(): [URLSearchParams, (changes: Changes, push?: boolean) => void] {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const query = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback((changes: Changes, push = false) => {
    // From the address of this moment, not of the last rendering: two fields may change at once.
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    navigate(location.pathname.slice(ROOT.length) + (text ? `?${text}` : ''), { replace: !push });
  }, []);
  return [query, change];
}

export function view(path: string, query: Record<string, string | number | undefined> = {}): string {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') out.set(name, String(value));
  const text = out.toString();
  return path + (text ? `?${text}` : '');
}

/** Asks before the view is left while there is a question to ask. */
export function useGuard(question: string | undefined) {
  useEffect(() => {
    const ask = () => question;
    guard = question ? ask : undefined;
    return () => {
      if (guard === ask) guard = undefined;
    };
  }, [question]);
}
