export type LineEnding = '\n' | '\r\n' | '\r';

const ANY = /\r\n?|\n/g;

/** How the lines of a text end, most of them where they do not end alike; undefined where there is one line only. */
export function lineEndingOf(text: string): LineEnding | undefined {
  if (!text.includes('\r')) return text.includes('\n') ? '\n' : undefined;
  const counts = new Map<LineEnding, number>();
  for (const [found] of text.matchAll(ANY)) counts.set(found as LineEnding, (counts.get(found as LineEnding) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

export function endsAlike(text: string): boolean {
  return !text.includes('\r') || new Set([...text.matchAll(ANY)].map(([found]) => found)).size <= 1;
}

/** The text with all its lines ending as an editor has them. */
export function asEdited(text: string): string {
  return text.includes('\r') ? text.replace(ANY, '\n') : text;
}

/** What was edited with the line endings that it had before. */
export function asStored(edited: string, ending: LineEnding | undefined): string {
  return ending === undefined || ending === '\n' ? edited : edited.replaceAll('\n', ending);
}
