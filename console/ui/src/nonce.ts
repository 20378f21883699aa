/** What the server's Content-Security-Policy asks of style elements that this page makes. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Some components make style elements without a way to hand them the nonce. */
export function allowStyles() {
  const create = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (nonce && name === 'style') element.setAttribute('nonce', nonce);
    return element;
  }) as typeof document.createElement;
}
