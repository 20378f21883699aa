import { keptByTab } from '../storage';

export type User = { username: string; globalAdmin: boolean; mustChangePassword: boolean };

type State = { token?: string; user?: User; wanted: boolean };

const STORE = 'cairn.session';

function stored(): State {
  try {
    return { ...(JSON.parse(keptByTab.get(STORE) ?? '{}') as State), wanted: false };
  } catch {
    return { wanted: false };
  }
}

/** Who is signed in, and the requests that wait until someone is. Lives as long as the tab. */
export const session = (() => {
  let state = stored();
  let waiting: (() => void)[] = [];
  const listeners = new Set<() => void>();
  const set = (next: State) => {
    state = next;
    keptByTab.set(STORE, JSON.stringify({ token: next.token, user: next.user }));
    listeners.forEach((listener) => listener());
  };
  return {
    get: () => state,
    token: () => state.token,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Completes after a sign-in that followed the refusal of this token. */
    renew(refused: string | undefined): Promise<void> {
      if (state.token !== refused) return Promise.resolve();
      if (!state.wanted) set({ ...state, wanted: true });
      return new Promise((resolve) => waiting.push(resolve));
    },
    signedIn(token: string, user: User) {
      set({ token, user, wanted: false });
      const ready = waiting;
      waiting = [];
      ready.forEach((resolve) => resolve());
    },
    signOut() {
      set({ wanted: true });
    },
  };
})();
