import type { Text as Doc } from '@codemirror/state';
import type { Diagnostic } from '@codemirror/lint';

const MOST_PROBLEMS = 50;
/** Above this many characters a content is not checked while someone types. */
export const LARGEST_CHECKED = 2 * 1024 * 1024;

function at(doc: Doc, line: number, column: number, message: string): Diagnostic {
  const row = doc.line(Math.max(1, Math.min(line, doc.lines)));
  const from = Math.min(row.from + Math.max(0, column - 1), row.to);
  return { from, to: Math.max(from, row.to), severity: 'error', message };
}

/** What is wrong with a content of that type; empty when nothing is, or when nobody knows how to tell. */
export async function check(type: string, doc: Doc): Promise<Diagnostic[]> {
  if (doc.length === 0 || doc.length > LARGEST_CHECKED) return [];
  const text = doc.toString();
  switch (type) {
    case 'json':
      return checkJson(text, doc);
    case 'yaml':
    case 'yml':
      return checkYaml(text);
    case 'xml':
      return checkXml(text, doc);
    case 'toml':
      return checkToml(text, doc);
    case 'properties':
      return checkProperties(doc);
    default:
      return [];
  }
}

async function checkJson(text: string, doc: Doc): Promise<Diagnostic[]> {
  try {
    JSON.parse(text);
    return [];
  } catch (failure) {
    const message = String((failure as Error).message);
    const position = /position (\d+)/.exec(message)?.[1];
    const from = position === undefined ? doc.length : Math.min(Number(position), doc.length);
    const row = doc.lineAt(from);
    const clean = message.replace(/^JSON\.parse: /, '').replace(/ in JSON at position.*$/, '').slice(0, 200);
    return [{ from: Math.min(from, row.to), to: Math.max(Math.min(from + 1, row.to), row.from), severity: 'error', message: clean }];
  }
}

async function checkYaml(text: string): Promise<Diagnostic[]> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text, { prettyErrors: false, logLevel: 'silent' });
  const out: Diagnostic[] = [];
  for (const document of Array.isArray(documents) ? documents : [documents]) {
    for (const problem of [...document.errors, ...document.warnings]) {
      out.push({
        from: Math.min(problem.pos[0], text.length),
        to: Math.min(Math.max(problem.pos[1], problem.pos[0] + 1), text.length),
        severity: problem.name === 'YAMLWarning' ? 'warning' : 'error',
        message: problem.message,
      });
    }
  }
  return out.slice(0, MOST_PROBLEMS);
}

async function checkXml(text: string, doc: Doc): Promise<Diagnostic[]> {
  const failure = new DOMParser().parseFromString(text, 'application/xml').querySelector('parsererror');
  if (!failure) return [];
  // Around the complaint itself, browsers say what they would show of the page: that is of no use here.
  const said = (failure.querySelector('div') ?? failure).textContent ?? '';
  const place = /line (?:number )?(\d+)(?: at column |, column )(\d+)/i.exec(said);
  const message = (/column \d+: ([^\n]*)/.exec(said)?.[1] ?? said.split('\n')[0] ?? '').slice(0, 200);
  return [at(doc, Number(place?.[1] ?? 1), 1, message)];
}

async function checkToml(text: string, doc: Doc): Promise<Diagnostic[]> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    parse(text);
    return [];
  } catch (failure) {
    if (!(failure instanceof TomlError)) throw failure;
    return [at(doc, failure.line, failure.column, failure.message.split('\n')[0]!.replace(/^Invalid TOML document: /, ''))];
  }
}

/** Java reads nearly anything as properties; what it refuses, and keys given twice, is what can be told. */
async function checkProperties(doc: Doc): Promise<Diagnostic[]> {
  const out: Diagnostic[] = [];
  const seen = new Map<string, number>();
  let continued = false;
  for (let n = 1; n <= doc.lines && out.length < MOST_PROBLEMS; n++) {
    const line = doc.line(n);
    const escape = /(?:^|[^\\])(?:\\\\)*\\u(?![0-9a-fA-F]{4})/.exec(line.text);
    if (escape && !/^\s*[#!]/.test(line.text)) {
      out.push({ from: line.from, to: line.to, severity: 'error', message: 'Malformed \\uXXXX escape' });
    }
    if (!continued && !/^\s*([#!]|$)/.test(line.text)) {
      const key = /^\s*((?:\\.|[^\\\s:=])+)/.exec(line.text)?.[1];
      if (key !== undefined) {
        const first = seen.get(key);
        if (first !== undefined) {
          out.push({ from: line.from, to: line.to, severity: 'warning', message: `${key} is already set in line ${first}` });
        } else {
          seen.set(key, n);
        }
      }
    }
    continued = /(?:^|[^\\])(?:\\\\)*\\$/.test(line.text) && !(/^\s*[#!]/.test(line.text) && !continued);
  }
  return out;
}
