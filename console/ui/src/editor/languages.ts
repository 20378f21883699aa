import type { Extension } from '@codemirror/state';
import { StreamLanguage } from '@codemirror/language';

/** The types that a configuration can have, as the server spells them. */
export const types = ['yaml', 'json', 'properties', 'toml', 'xml', 'html', 'text'] as const;

/** The type that a file name suggests. */
export function typeOf(dataId: string): string | undefined {
  const ending = dataId.slice(dataId.lastIndexOf('.') + 1).toLowerCase();
  if (ending === 'yml') return 'yaml';
  if (ending === 'htm') return 'html';
  if (ending === 'txt') return 'text';
  return (types as readonly string[]).includes(ending) ? ending : undefined;
}

export async function highlighting(type: string): Promise<Extension> {
  switch (type) {
    case 'yaml':
    case 'yml':
      return (await import('@codemirror/lang-yaml')).yaml();
    case 'json':
      return (await import('@codemirror/lang-json')).json();
    case 'xml':
      return (await import('@codemirror/lang-xml')).xml();
    case 'html':
      return (await import('@codemirror/lang-html')).html();
    case 'properties':
      return StreamLanguage.define((await import('@codemirror/legacy-modes/mode/properties')).properties);
    case 'toml':
      return StreamLanguage.define((await import('@codemirror/legacy-modes/mode/toml')).toml);
    default:
      return [];
  }
}
