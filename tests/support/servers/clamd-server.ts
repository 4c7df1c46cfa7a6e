import net, { type AddressInfo } from 'node:net';

/** The harmless file that every scanner takes for malware (eicar.org), put together so that none takes this one. */
export const EICAR = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

/** A scanner that speaks clamd's INSTREAM. */
export interface Clamd {
  /** As the setting CLAMD_URL. */
  readonly url: string;
  /** Bytes of each stream that it was sent. */
  readonly scanned: number[];
  /** From now on it answers with this line, or closes without one. */
  misbehave(line: string | undefined): void;
  close(): Promise<void>;
}

/** Starts it on a free port of this machine; a stream above `limit` bytes is refused in its middle, as clamd does. */
export async function startClamd(limit = 25 * 1024 * 1024): Promise<Clamd> {
  const scanned: number[] = [];
  let misbehaviour: { line: string | undefined } | undefined;
  const server = net.createServer((socket) => {
    let pending = Buffer.alloc(0);
    let content = Buffer.alloc(0);
    let begun = false;
    const answer = (line: string): void => {
      if (misbehaviour === undefined) socket.end(`${line}\0`);
      else if (misbehaviour.line === undefined) socket.destroy();
      else socket.end(`${misbehaviour.line}\0`);
    };
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      pending = Buffer.concat([pending, piece]);
      if (!begun) {
        const end = pending.indexOf(0);
        if (end === -1) return;
        if (pending.toString('latin1', 0, end) !== 'zINSTREAM') return void answer('UNKNOWN COMMAND');
        begun = true;
        pending = pending.subarray(end + 1);
      }
      while (pending.length >= 4) {
        const length = pending.readUInt32BE();
        if (pending.length < 4 + length) return;
        content = Buffer.concat([content, pending.subarray(4, 4 + length)]);
        pending = pending.subarray(4 + length);
        if (content.length > limit) return void answer('INSTREAM size limit exceeded. ERROR');
        if (length > 0) continue;
        scanned.push(content.length);
        answer(content.includes(EICAR) ? 'stream: Eicar-Test-Signature FOUND' : 'stream: OK');
      }
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
