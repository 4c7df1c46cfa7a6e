import { createRequire } from 'node:module';

/** A person or a file of a message that a test writes. */
interface OutlookMessage {
  readonly subject: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly { readonly name: string; readonly address: string; readonly kind: 'to' | 'cc' }[];
  readonly delivered: Date;
  readonly body?: string;
  readonly html?: string;
  readonly files: readonly { readonly name: string; readonly type: string; readonly bytes: Buffer }[];
}

interface Part {
  readonly name: string;
  readonly parts?: readonly Part[];
  readonly bytes?: Buffer;
}

const ROOT = 5;
const FOLDER = 1;
const STREAM = 2;
/** Milliseconds from 1601 to 1970. */
const FILE_TIME_EPOCH = 11_644_473_600_000n;

/** Writes a message as Outlook stores it (MS-OXMSG). */
export function writeOutlook({ subject, from, to, delivered, body, html, files }: OutlookMessage): Buffer {
  const arrived = Buffer.alloc(16);
  arrived.writeUInt16LE(0x40, 0);
  arrived.writeUInt16LE(0x0e06, 2);
  arrived.writeBigUInt64LE((BigInt(delivered.getTime()) + FILE_TIME_EPOCH) * 10_000n, 8);
  const kinds = { to: 1, cc: 2 } as const;
  const parts: Part[] = [
    { name: '__nameid_version1.0', parts: [] },
    { name: '__properties_version1.0', bytes: Buffer.concat([Buffer.alloc(32), arrived]) },
    text('001A', 'IPM.Note'),
    text('0037', subject),
    text('0C1A', from.name),
    text('5D01', from.address),
    ...(body === undefined ? [] : [text('1000', body)]),
    ...(html === undefined ? [] : [{ name: '__substg1.0_10130102', bytes: Buffer.from(html) }]),
    ...to.map(({ name, address, kind }, index) => {
      const own = Buffer.alloc(16);
      own.writeUInt16LE(3, 0);
      own.writeUInt16LE(0x0c15, 2);
      own.writeUInt32LE(kinds[kind], 8);
      return {
        name: `__recip_version1.0_#${String(index).padStart(8, '0')}`,
        parts: [
          { name: '__properties_version1.0', bytes: Buffer.concat([Buffer.alloc(8), own]) },
          text('3001', name),
          text('39FE', address),
        ],
      };
    }),
    ...files.map(({ name, type, bytes }, index) => ({
      name: `__attach_version1.0_#${String(index).padStart(8, '0')}`,
      parts: [
        { name: '__properties_version1.0', bytes: Buffer.alloc(8) },
        text('3707', name),
        text('370E', type),
        { name: '__substg1.0_37010102', bytes },
      ],
    })),
  ];
  return Buffer.from(burn(flat({ name: 'Root Entry', parts }, ROOT)));
}

const text = (property: string, value: string): Part => ({
  name: `__substg1.0_${property}001F`,
  bytes: Buffer.from(value, 'utf16le'),
});

interface Entry {
  name: string;
  type: number;
  length: number;
  binaryProvider?: () => ArrayLike<number>;
  children?: number[];
}

const { burn } = createRequire(import.meta.url)('@kenjiuno/msgreader/lib/Burner.js') as {
  burn(entries: readonly Entry[]): Uint8Array;
};

function flat(root: Part, type: number): Entry[] {
  const entries: Entry[] = [];
  const add = ({ name, parts, bytes = Buffer.alloc(0) }: Part, own: number): number => {
    const entry: Entry = { name, type: own, length: parts === undefined ? bytes.length : 0 };
    const at = entries.push(entry) - 1;
    if (parts === undefined) entry.binaryProvider = () => Uint8Array.from(bytes);
    else entry.children = parts.map((part) => add(part, part.parts === undefined ? STREAM : FOLDER));
    return at;
  };
  add(root, type);
  return entries;
}
