import { typeOf } from '../../editor/languages';
import type { Text } from '../../i18n';
import { zip, type Entry } from './zip';

/** A file of a folder, by its path below that folder. */
export type Found = { path: string; file: File };

export type LeftOut = { path: string; why: Text };

/** What of a folder becomes configurations: a sub-folder is a group, a file in it a configuration. */
export type Folder = { name: string; files: Found[]; leftOut: LeftOut[]; hasTop: boolean; list?: Found };

/** More than anybody means to choose: whoever does has probably chosen the wrong folder. */
export const MOST_FILES = 20_000;

const LIST = '.metadata.yml';
const LEGAL = /^[A-Za-z0-9_.:-]+$/;
const LONGEST_GROUP = 128;
const LONGEST_DATA_ID = 256;
const OF_SYSTEMS = new Set(['thumbs.db', 'desktop.ini', '__macosx']);

function whyNot(found: Found, maxBytes: number): Text | undefined {
  const parts = found.path.split('/');
  if (parts.some((part) => part.startsWith('.') || OF_SYSTEMS.has(part.toLowerCase()))) return 'Hidden';
  if (parts.length > 2) return 'Deeper than one sub-folder';
  if (parts.some((part) => !LEGAL.test(part))) return 'Its name has characters other than letters, digits and _ - . :';
  if (parts.at(-1)!.length > LONGEST_DATA_ID || (parts.length === 2 && parts[0]!.length > LONGEST_GROUP)) return 'Its name is too long';
  if (found.file.size === 0) return 'Empty';
  if (found.file.size > maxBytes) return 'Larger than the size limit of configurations';
  return undefined;
}

export function look(name: string, all: Found[], maxBytes: number): Folder {
  const files: Found[] = [];
  const leftOut: LeftOut[] = [];
  const list = all.find((found) => found.path === LIST);
  for (const found of [...all].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const why = found === list ? undefined : whyNot(found, maxBytes);
    if (why) leftOut.push({ path: found.path, why });
    else if (found !== list) files.push(found);
  }
  return { name, files, leftOut, hasTop: files.some((found) => !found.path.includes('/')), list };
}

async function text(found: Found): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new Uint8Array(await found.file.arrayBuffer());
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
  return bytes.includes(0) ? undefined : bytes;
}

/**
 * The archive that an export of these files would be. Types follow from the endings of names, unless the folder is an
 * export that was unpacked and says itself; files that are no text are left out.
 */
export async function archive(folder: Folder, topGroup: string): Promise<{ file?: File; stored: number; binary: LeftOut[] }> {
  const entries: Entry[] = [];
  const items: string[] = [];
  const binary: LeftOut[] = [];
  for (const found of folder.files) {
    const bytes = await text(found);
    if (!bytes) {
      binary.push({ path: found.path, why: 'Not text in UTF-8' });
      continue;
    }
    const path = found.path.includes('/') ? found.path : `${topGroup}/${found.path}`;
    const [group, dataId] = path.split('/') as [string, string];
    entries.push({ name: path, bytes });
    items.push(`- group: ${JSON.stringify(group)}\n  dataId: ${JSON.stringify(dataId)}\n  type: ${typeOf(dataId) ?? 'text'}\n`);
  }
  const listed = folder.list ? new Uint8Array(await folder.list.file.arrayBuffer()) : new TextEncoder().encode(`metadata:\n${items.join('')}`);
  const file = entries.length === 0 ? undefined : new File([await zip([...entries, { name: LIST, bytes: listed }])], 'folder.zip');
  return { file, stored: entries.length, binary };
}

/** Files chosen in a dialogue, which name the folder first. */
export function chosen(files: FileList): { name: string; all: Found[] } {
  const all = [...files].map((file) => ({ path: file.webkitRelativePath.split('/').slice(1).join('/'), file }));
  return { name: files[0]?.webkitRelativePath.split('/')[0] ?? '', all };
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

function some(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject));
}

async function walk(entry: FileSystemEntry, path: string, into: Found[]): Promise<void> {
  if (into.length > MOST_FILES) return;
  if (entry.isFile) {
    into.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    return;
  }
  // A reader hands out a hundred at a time, until there are none.
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (let part = await some(reader); part.length > 0; part = await some(reader)) {
    for (const child of part) await walk(child, path === '' ? child.name : `${path}/${child.name}`, into);
  }
}

/** What was dropped: one folder is the one that holds the groups; of several things each folder is a group. */
export async function dropped(entries: FileSystemEntry[]): Promise<{ name: string; all: Found[] }> {
  const all: Found[] = [];
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only?.isDirectory) await walk(only, '', all);
  else for (const entry of entries) await walk(entry, entry.name, all);
  return { name: only?.name ?? entries.map((entry) => entry.name).slice(0, 3).join(', '), all };
}
