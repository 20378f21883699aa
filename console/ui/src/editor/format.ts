/** Whether a content of that type can be laid out anew without changing what it says. */
export function canFormat(type: string): boolean {
  return type === 'json' || type === 'yaml' || type === 'xml';
}

/** @throws Error when the content is not valid */
export async function format(type: string, text: string): Promise<string> {
  if (type === 'json') return formatJson(text);
  if (type === 'yaml') return formatYaml(text);
  if (type === 'xml') return formatXml(text);
  return text;
}

/** Moves white space only: numbers keep their digits and keys their order, which a parser would not promise. */
export function formatJson(text: string): string {
  JSON.parse(text);
  const tokens = text.match(/"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let out = '';
  let depth = 0;
  tokens.forEach((token, i) => {
    const next = tokens[i + 1];
    if (token === '{' || token === '[') {
      out += token;
      if (next === '}' || next === ']') return;
      depth++;
      out += '\n' + '  '.repeat(depth);
    } else if (token === '}' || token === ']') {
      const previous = tokens[i - 1];
      if (previous !== '{' && previous !== '[') {
        depth--;
        out += '\n' + '  '.repeat(depth);
      }
      out += token;
    } else if (token === ',') out += ',\n' + '  '.repeat(depth);
    else if (token === ':') out += ': ';
    else out += token;
  });
  return out + '\n';
}

async function formatYaml(text: string): Promise<string> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text, { keepSourceTokens: false, logLevel: 'silent' });
  const all = Array.isArray(documents) ? documents : [];
  const failed = all.find((document) => document.errors.length > 0);
  if (failed) throw new Error(failed.errors[0]!.message);
  return all.map((document) => document.toString({ lineWidth: 0 })).join('');
}

/** Indents elements; text beside elements is left alone, for its white space may mean something. */
export function formatXml(text: string): string {
  const parsed = new DOMParser().parseFromString(text, 'application/xml');
  if (parsed.querySelector('parsererror')) throw new Error('The XML is not well-formed');
  const tokens = text.match(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<![^>]*>|<(?:"[^"]*"|'[^']*'|[^>"'])*>|[^<]+/g) ?? [];
  const mixed = tokens.some((token, i) => {
    if (token.startsWith('<') || token.trim() === '') return false;
    const before = tokens[i - 1] ?? '';
    const after = tokens[i + 1] ?? '';
    return !(/^<[^/!?]/.test(before) && after.startsWith('</'));
  });
  if (mixed) throw new Error('Text and elements are mixed; white space may mean something');
  let depth = 0;
  let out = '';
  tokens.forEach((token, i) => {
    if (token.trim() === '') return;
    const pad = '\n' + '  '.repeat(depth);
    if (token.startsWith('</')) {
      depth--;
      out += /^<[^/!?]/.test(tokens[i - 2] ?? '') && !(tokens[i - 1] ?? '').startsWith('<') && tokens[i - 1]!.trim() !== '' ? token : '\n' + '  '.repeat(depth) + token;
    } else if (/^<[^!?]/.test(token)) {
      out += pad + token;
      if (!token.endsWith('/>')) depth++;
    } else if (token.startsWith('<')) out += pad + token;
    else out += token;
  });
  return out.trim() + '\n';
}
