import type { User } from './session';

/** The session of a signed-in tab; {@code at} is when its user signed in and {@code until} when the token ends, in epoch milliseconds. */
export type Session = { token: string; user: User; at: number; until: number };

export type Message =
  | { kind: 'ask'; id: string }
  | { kind: 'answer'; id: string; session: Session }
  | { kind: 'signedIn'; session: Session }
  | { kind: 'signedOut' };

function isSession(value: unknown): value is Session {
  const session = value as Session | undefined;
  return typeof session?.token === 'string' && session.token !== '' && typeof session.user?.username === 'string' && typeof session.at === 'number' && typeof session.until === 'number';
}

function isMessage(value: unknown): value is Message {
  const message = value as Message | undefined;
  switch (message?.kind) {
    case 'ask':
      return typeof message.id === 'string';
    case 'answer':
      return typeof message.id === 'string' && isSession(message.session);
    case 'signedIn':
      return isSession(message.session);
    case 'signedOut':
      return true;
    default:
      return false;
  }
}

/**
 * Connects the tabs of this origin that show the same server. The browser delivers a message to those and to no other page,
 * and keeps none. Without such a channel each tab stands alone.
 */
export function connectTabs(path: string, receive: (message: Message) => void): (message: Message) => void {
  if (typeof BroadcastChannel === 'undefined') return () => undefined;
  const channel = new BroadcastChannel(`cairn.session ${path}`);
  channel.onmessage = (event) => {
    if (isMessage(event.data)) receive(event.data);
  };
  return (message) => channel.postMessage(message);
}
