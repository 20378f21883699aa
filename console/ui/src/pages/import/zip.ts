export type Entry = { name: string; bytes: Uint8Array<ArrayBuffer> };

const UTF8_NAMES = 0x0800;
const STORED = 0;
const DEFLATED = 8;
/** The first day that the format can name: archives of the same files are equal. */
const DAY = (1 << 5) | 1;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = table[(value ^ byte) & 0xff]! ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer());
}

function record(size: number, numbers: [at: number, bytes: 2 | 4, value: number][]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(size));
  for (const [at, bytes, value] of numbers) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  }
  return new Uint8Array(view.buffer);
}

/** A zip archive of at most 65,535 entries and 4 GB, which is more than a server takes. */
export async function zip(entries: Entry[]): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = new TextEncoder().encode(entry.name);
    const packed = entry.bytes.length > 256 ? await deflated(entry.bytes) : entry.bytes;
    const common = (at: number): [number, 2 | 4, number][] => [
      [at, 2, 20],
      [at + 2, 2, UTF8_NAMES],
      [at + 4, 2, packed === entry.bytes ? STORED : DEFLATED],
      [at + 8, 2, DAY],
      [at + 10, 4, checksum(entry.bytes)],
      [at + 14, 4, packed.length],
      [at + 18, 4, entry.bytes.length],
      [at + 22, 2, name.length],
    ];
    parts.push(record(30, [[0, 4, 0x04034b50], ...common(4)]), name, packed);
    directory.push(record(46, [[0, 4, 0x02014b50], [4, 2, 20], ...common(6), [42, 4, offset]]), name);
    offset += 30 + name.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = record(22, [[0, 4, 0x06054b50], [8, 2, entries.length], [10, 2, entries.length], [12, 4, size], [16, 4, offset]]);
  return new Blob([...parts, ...directory, end], { type: 'application/zip' });
}
