import { core } from './core';

const offered = document.querySelector<HTMLMetaElement>('meta[name="cairn-issuer-login"]');
const LOGIN = /\/login$/;

/** The login at the firm's issuer beside that with a password; undefined where the server has none. */
export const issuer = offered?.content
  ? {
      label: offered.dataset.label ?? '',
      /** Where the browser goes to log in; the issuer sends it back to the view of this moment. */
      login: () => {
        const view = location.href.slice(new URL('ui/', document.baseURI).href.length);
        return `${offered.content}?view=${encodeURIComponent(view)}`;
      },
      /** Where the browser goes to log out at the issuer, too. */
      logout: offered.content.replace(LOGIN, '/logout'),
    }
  : undefined;

export type Refusal = 'refused' | 'unavailable';

/** What the issuer has sent the browser back with. It goes from the address at once. */
const arrival = (() => {
  const [, code, refusal] = /^#login(?:=([\w-]+)|-(refused|unavailable))$/.exec(location.hash) ?? [];
  if (code || refusal) history.replaceState(null, '', location.pathname + location.search);
  return { code, refusal: refusal as Refusal | undefined };
})();

let finished: Promise<Refusal | undefined> | undefined;

/** Whether the browser comes from the issuer, and is about to be signed in. */
export const isArriving = arrival.code !== undefined;

/** Signs in with what the issuer has sent, once. Completes with why nobody is signed in. */
export function finishLogin(): Promise<Refusal | undefined> {
  finished ??= arrival.code
    ? core.signInByCode(arrival.code).then(
        () => undefined,
        () => 'refused' as const,
      )
    : Promise.resolve(arrival.refusal);
  return finished;
}
