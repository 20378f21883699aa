import { kept, keptByTab } from '../storage';
import { connectTabs, type Message, type Session } from './tabs';

/** {@code issued} for a person whom an issuer has identified, and who has no password here. */
export type User = { username: string; globalAdmin: boolean; mustChangePassword: boolean; issued?: boolean };

/**
 * {@code asking} while other tabs are asked for their session, {@code wanted} while somebody must sign in here. Without
 * either, requests are sent: with a token, or to a server that needs none.
 */
type State = Partial<Session> & { asking: boolean; wanted: boolean };

const STORE = 'cairn.session';
/** How long other tabs have to answer before the sign-in is shown; an answer that comes later counts, too. */
const ANSWER_MILLIS = 250;
/** Below one origin there may be several servers, each with sessions of its own. */
const PATH = new URL('.', document.baseURI).pathname;
/** When somebody last signed out: a tab that did not run at that time has missed it. */
const SIGNED_OUT = `cairn.signed-out ${PATH}`;

function stored(): Session | undefined {
  try {
    const session = JSON.parse(keptByTab.get(STORE) ?? '{}') as Partial<Session>;
    const { token, user, at = 0, until = 0 } = session;
    return token && user && at > Number(kept.get(SIGNED_OUT) ?? 0) && until > Date.now() ? { token, user, at, until } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether this server serves nobody who has not signed in; its page says so. */
function isSignInNeeded(): boolean {
  return document.querySelector<HTMLMetaElement>('meta[name="cairn-sign-in"]')?.content === 'needed';
}

/** The signed-in user, and the requests that wait for a sign-in. Lives as long as the tab, and is handed to other tabs. */
export const session = (() => {
  let state: State = { ...stored(), asking: false, wanted: false };
  let waiting: (() => void)[] = [];
  const listeners = new Set<() => void>();
  /** Tokens that the server has refused; another tab may not know that yet. */
  const refused = new Set<string>();
  let question: string | undefined;
  /** Whether the server has accepted the token; until then one request tries it, and the others wait. */
  let accepted = false;
  let trying = false;
  /** The user name that stands in the sign-in of this tab. */
  let typed = '';

  const set = (next: State) => {
    state = next;
    const { token, user, at, until } = next;
    keptByTab.set(STORE, JSON.stringify({ token, user, at, until }));
    listeners.forEach((listener) => listener());
    goOn();
  };

  const goOn = () => {
    const ready = waiting;
    waiting = [];
    ready.forEach((resolve) => resolve());
  };

  const begin = (next: Session, isNew: boolean) => {
    question = undefined;
    typed = '';
    accepted = isNew;
    trying = false;
    set({ ...next, asking: false, wanted: false });
  };

  /** Takes the session of another tab, unless it would turn this tab over to another user. */
  const offered = (next: Session, isNew: boolean) => {
    if (refused.has(next.token) || next.token === state.token) return;
    const isSame = state.user?.username === next.user.username;
    if (state.asking || state.wanted) {
      const isOther = typed !== '' && typed !== next.user.username;
      if (!isOther && (!state.user || isSame)) begin(next, isNew);
    } else if (state.token && isSame) {
      begin(next, isNew);
    }
  };

  const forget = () => {
    question = undefined;
    if (state.token || state.asking || state.wanted) set({ asking: false, wanted: true });
  };

  const send = connectTabs(PATH, (message: Message) => {
    const { token, user, at, until } = state;
    switch (message.kind) {
      case 'ask':
        if (token && user && at && until && !state.wanted) send({ kind: 'answer', id: message.id, session: { token, user, at, until } });
        break;
      case 'answer':
        if (message.id === question) offered(message.session, false);
        break;
      case 'signedIn':
        offered(message.session, true);
        break;
      case 'signedOut':
        forget();
        break;
    }
  });

  const ask = () => {
    question = [...crypto.getRandomValues(new Uint32Array(4))].join('-');
    send({ kind: 'ask', id: question });
  };

  const refuse = (token: string | undefined) => {
    if (token) refused.add(token);
    if (state.token !== token || state.asking || state.wanted) return;
    set({ ...state, wanted: true });
    ask();
  };

  if (!state.token && isSignInNeeded()) {
    state = { asking: true, wanted: false };
    ask();
    window.setTimeout(() => {
      if (state.asking) set({ ...state, asking: false, wanted: true });
    }, ANSWER_MILLIS);
  }

  return {
    get: () => state,
    token: () => state.token,
    /**
     * Completes when a request may be sent. True for the one that tries whether the server accepts the token: when it is
     * answered, or not, {@link #tried} lets the others go on.
     */
    async ready(): Promise<boolean> {
      for (;;) {
        if (state.until && state.until <= Date.now()) refuse(state.token);
        if (!state.asking && !state.wanted && !trying) {
          trying = state.token !== undefined && !accepted;
          return trying;
        }
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
    tried(token: string | undefined, isAccepted: boolean) {
      if (token !== state.token) return;
      trying = false;
      accepted = isAccepted;
      goOn();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The server has refused this token: a sign-in here or in another tab must follow. */
    refuse,
    /** Somebody types a name to sign in with: no other tab's session takes its place but one of that user. */
    typing(name: string) {
      typed = name.trim();
    },
    /** @param until when the token ends, in epoch milliseconds */
    signedIn(token: string, user: User, until: number) {
      const next = { token, user, at: Date.now(), until };
      begin(next, true);
      send({ kind: 'signedIn', session: next });
    },
    /** Signs out here and in all other tabs. */
    signOut() {
      kept.set(SIGNED_OUT, String(Date.now()));
      typed = '';
      set({ asking: false, wanted: true });
      send({ kind: 'signedOut' });
    },
  };
})();
