import type { Plugin, Rolldown } from 'vite';

/** An entry of the list that Vite writes for `build.license`: a package of which code is in the bundle. */
interface Package {
  name: string;
  version: string;
  identifier?: string;
  text?: string;
}

const ALLOWED = '../../distribution/licences/allowed.txt';

/** Packages without a licence file of their own: the text of another package of the same repository, or a file. */
const TEXTS: Record<string, string> = {
  '@ant-design/icons-svg': 'node_modules/@ant-design/icons/LICENSE',
  'is-mobile': 'licences/is-mobile.txt',
};

/** The name of Vite's list, which `thirdParty` replaces by files to read. */
export const LIST = 'third-party.json';

/**
 * Writes the licences of the bundled packages: `THIRD-PARTY.md` has a row for each, for the list of the whole
 * distribution, and `LICENSES.txt` the texts. Refuses a package whose licence is not allowed, or that has no text.
 */
export const thirdParty: Plugin = {
  name: 'cairn-third-party',
  apply: 'build',
  generateBundle: {
    order: 'post',
    async handler(_, bundle) {
      const read = (file: string) => this.fs.readFile(file, { encoding: 'utf8' });
      const allowed = (await read(ALLOWED)).split('\n');
      const rows: string[] = [];
      const texts: string[] = [];
      for (const { name, version, identifier, text } of packages(bundle)) {
        if (!identifier || !allowed.includes(identifier)) {
          this.error(`${name} ${version} has the licence ${identifier ?? '(none)'}, which distribution/licences/allowed.txt does not list`);
        }
        const file = TEXTS[name];
        const words = text ?? (file && (await read(file)).trim());
        if (!words) {
          this.error(`${name} ${version} holds no text of its licence (${identifier}): name one in console/ui/third-party.ts`);
        }
        rows.push(`| npm:${name} | ${version} | ${identifier} | licenses/cairn-console/LICENSES.txt |\n`);
        texts.push(`${'='.repeat(80)}\n${name} ${version} (${identifier})\n${'='.repeat(80)}\n\n${words.replaceAll('\r\n', '\n')}\n`);
      }
      delete bundle[LIST];
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.md', source: rows.join('') });
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source: texts.join('\n') });
    },
  },
};

function packages(bundle: Rolldown.OutputBundle): Package[] {
  const list = bundle[LIST];
  if (list?.type !== 'asset') {
    throw new Error(`${LIST} is not in the bundle: vite.config.ts sets build.license.fileName to this name`);
  }
  return JSON.parse(list.source.toString());
}
