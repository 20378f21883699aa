/** One range of lines: [start, end) of the base, and the lines that stand there instead. */
type Edit = { from: number; to: number; lines: string[] };

const LARGEST_TABLE = 4_000_000;

/** The edits that make b of a, line by line; undefined when the two are too large to compare so. */
function edits(a: string[], b: string[]): Edit[] | undefined {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const n = a.length - head - tail;
  const m = b.length - head - tail;
  if (n * m > LARGEST_TABLE) return undefined;
  const width = m + 1;
  const table = new Uint32Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      table[i * width + j] =
        a[head + i] === b[head + j] ? table[(i + 1) * width + j + 1]! + 1 : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
    }
  }
  const out: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && a[head + i] === b[head + j]) {
      i++;
      j++;
      continue;
    }
    const edit: Edit = { from: head + i, to: head + i, lines: [] };
    while ((i < n || j < m) && !(i < n && j < m && a[head + i] === b[head + j])) {
      if (j >= m || (i < n && table[(i + 1) * width + j]! >= table[i * width + j + 1]!)) {
        i++;
        edit.to = head + i;
      } else {
        edit.lines.push(b[head + j]!);
        j++;
      }
    }
    out.push(edit);
  }
  return out;
}

/** Both changes of one text put together; undefined when they touch the same lines, which a person must settle. */
export function merge3(base: string, mine: string, theirs: string): string | undefined {
  const lines = base.split('\n');
  const ours = edits(lines, mine.split('\n'));
  const others = edits(lines, theirs.split('\n'));
  if (!ours || !others) return undefined;
  const same = (x: Edit, y: Edit) => x.from === y.from && x.to === y.to && x.lines.join('\n') === y.lines.join('\n');
  const all: Edit[] = [...ours];
  for (const other of others) {
    if (ours.some((edit) => same(edit, other))) continue;
    // Lines that touch count as the same place: put together they may mean something that neither of the two wrote.
    if (ours.some((edit) => edit.from <= other.to && other.from <= edit.to)) return undefined;
    all.push(other);
  }
  all.sort((x, y) => y.from - x.from);
  for (const edit of all) lines.splice(edit.from, edit.to - edit.from, ...edit.lines);
  return lines.join('\n');
}
