import net, { type AddressInfo } from 'node:net';

/**
 * The harmless file that every scanner treats as malware (eicar.org), in two parts, so that no scanner
 * reports this file.
 */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

/** A scanner that speaks clamd's INSTREAM. */
export interface Clamd {
  /** The value for the setting CLAMD_URL. */
  readonly url: string;
  /** The bytes of each stream that it was sent. */
  readonly scanned: number[];
  /** From now on it replies with this line, or closes without one. */
  misbehave(line: string | undefined): void;
  close(): Promise<void>;
}

/**
 * Starts it on a free port of this machine; a stream above `limit` bytes is refused in its middle, as clamd
 * does.
 */
export async function startClamd(limit = 25 * 1024 * 1024): Promise<Clamd> {
  const scanned: number[] = [];
  let misbehaviour: { line: string | undefined } | undefined;
  const server = net.createServer((socket) => {
    const session: Session = { pending: Buffer.alloc(0), content: Buffer.alloc(0), begun: false };
    const answer = (line: string): void => {
      const said = misbehaviour === undefined ? line : misbehaviour.line;
      if (said === undefined) socket.destroy();
      else socket.end(`${said}\0`);
    };
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      session.pending = Buffer.concat([session.pending, piece]);
      if (!session.begun && !begin(session, answer)) return;
      const end = readStream(session, limit);
      if (end === undefined) return;
      if (end === 'whole') scanned.push(session.content.length);
      answer(verdictOn(session, end));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    scanned,
    misbehave: (line) => {
      misbehaviour = { line };
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The unread bytes of a connection, and what has been scanned of its stream. */
interface Session {
  pending: Buffer;
  content: Buffer;
  begun: boolean;
}

/** Removes the command from the front; false while it is incomplete, and for another command. */
function begin(session: Session, answer: (line: string) => void): boolean {
  const end = session.pending.indexOf(0);
  if (end === -1) return false;
  session.begun = session.pending.toString('latin1', 0, end) === 'zINSTREAM';
  if (!session.begun) answer('UNKNOWN COMMAND');
  session.pending = session.pending.subarray(end + 1);
  return session.begun;
}

function verdictOn({ content }: Session, end: 'whole' | 'too long'): string {
  if (end === 'too long') return 'INSTREAM size limit exceeded. ERROR';
  return content.includes(EICAR) ? 'stream: Eicar-Test-Signature FOUND' : 'stream: OK';
}

/** Reads what has arrived of the stream; undefined while more has to arrive. */
function readStream(session: Session, limit: number): 'whole' | 'too long' | undefined {
  for (let chunk = nextChunk(session); chunk !== undefined; chunk = nextChunk(session)) {
    session.content = Buffer.concat([session.content, chunk]);
    if (session.content.length > limit) return 'too long';
    if (chunk.length === 0) return 'whole';
  }
  return undefined;
}

/** The next piece of the stream, empty at its end; undefined while it is incomplete. */
function nextChunk(session: Session): Buffer | undefined {
  if (session.pending.length < 4) return undefined;
  const length = session.pending.readUInt32BE();
  if (session.pending.length < 4 + length) return undefined;
  const chunk = session.pending.subarray(4, 4 + length);
  session.pending = session.pending.subarray(4 + length);
  return chunk;
}
