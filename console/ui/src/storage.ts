/** What the browser keeps, if it does: some keep nothing, and say so by an exception or by being without a storage. */
function safe(storage: () => Storage | null) {
  return {
    get(name: string): string | null {
      try {
        return storage()?.getItem(name) ?? null;
      } catch {
        return null;
      }
    },
    set(name: string, value: string) {
      try {
        storage()?.setItem(name, value);
      } catch {
        // Then it is kept as long as the page is.
      }
    },
  };
}

export const kept = safe(() => window.localStorage);
export const keptByTab = safe(() => window.sessionStorage);
