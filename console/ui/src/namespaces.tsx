import { createContext, useContext, useEffect, useMemo, type ReactNode } from 'react';
import { core, type Namespace } from './api/core';
import { session } from './api/session';
import { useRemote, type Remote } from './remote';
import { useQuery } from './router';
import { kept } from './storage';

type Value = { current: string; all: Remote<Namespace[]>; nameOf: (id: string) => string };

const STORE = 'cairn.namespace';
const Context = createContext<Value | undefined>(undefined);

/** The namespace of the address, else the one last looked at. */
export function Namespaces(props: { children: ReactNode }) {
  const [query] = useQuery();
  const all = useRemote('namespaces', (signal) => core.namespaces(signal));
  const current = query.get('ns') ?? preferred(all.data);
  useEffect(() => kept.set(STORE, current), [current]);
  const value = useMemo(
    () => ({
      current,
      all,
      nameOf: (id: string) => all.data?.find((n) => idOf(n) === id)?.namespaceShowName ?? id,
    }),
    [current, all],
  );
  return <Context value={value}>{props.children}</Context>;
}

/** The namespace last looked at; for a user whose rights do not reach that one, the first that they reach. */
function preferred(listed: Namespace[] | undefined): string {
  const last = kept.get(STORE) ?? 'public';
  const first = listed?.[0];
  return first && session.get().user?.globalAdmin === false && !listed.some((n) => idOf(n) === last) ? idOf(first) : last;
}

/** The default namespace is listed with an empty id by some versions of the API. */
export function idOf(namespace: Namespace): string {
  return namespace.namespace === '' ? 'public' : namespace.namespace;
}

export function useNamespaces(): Value {
  const value = useContext(Context);
  if (!value) throw new Error('outside of <Namespaces>');
  return value;
}
