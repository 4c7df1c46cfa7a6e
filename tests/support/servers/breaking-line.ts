import net, { type AddressInfo } from 'node:net';
import { openThings } from '../open-things.ts';

/** A connection to the product that breaks when a test asks: a relay, byte by byte. */
export interface BreakingLine {
  /** The address at which browsers reach the product through it, without a trailing slash. */
  readonly url: string;
  /** Bytes received from browsers since it was opened or last repaired. */
  readonly sentBytes: () => number;
  /**
   * Cuts every connection after `bytes` further bytes from browsers, and accepts none until it is repaired.
   */
  cutAfter(bytes: number): void;
  /**
   * After `bytes`, forwards nothing more on the connection of the last one, and leaves the product's end
   * open.
   */
  silenceAfter(bytes: number): void;
  /** Whether it has broken since it was last repaired. */
  readonly isBroken: () => boolean;
  mend(): void;
  close(): Promise<void>;
}

/** Opens it in front of the product at `target`. */
export async function openBreakingLine(target: string): Promise<BreakingLine> {
  const { hostname, port } = new URL(target);
  const open = new Set<net.Socket>();
  let breaks: { at: number; how: 'cut' | 'silence' } | undefined;
  let isBroken = false;
  let isCut = false;
  let sent = 0;
  const cut = (): void => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  const hold = (socket: net.Socket): void => {
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
  };
  const server = net.createServer((browser) => {
    if (isCut) {
      browser.destroy();
      return;
    }
    const product = net.connect(Number(port), hostname);
    let isSilent = false;
    hold(browser);
    hold(product);
    browser.on('data', (bytes) => {
      sent += bytes.length;
      if (isSilent) return;
      if (breaks !== undefined && sent > breaks.at) {
        isSilent = true;
        isBroken = true;
        const { how } = breaks;
        breaks = undefined;
        if (how === 'cut') cut();
        else browser.pause();
        return;
      }
      if (!product.write(bytes)) browser.pause();
    });
    product.on('drain', () => isSilent || browser.resume());
    product.on('data', (bytes) => isSilent || browser.write(bytes));
    browser.once('close', () => isSilent || product.destroy());
    product.once('close', () => browser.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const line: BreakingLine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sentBytes: () => sent,
    cutAfter(bytes) {
      breaks = { at: sent + bytes, how: 'cut' };
    },
    silenceAfter(bytes) {
      breaks = { at: sent + bytes, how: 'silence' };
    },
    isBroken: () => isBroken,
    mend() {
      breaks = undefined;
      isBroken = false;
      isCut = false;
      sent = 0;
    },
    async close() {
      openThings().delete(line);
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
  openThings().add(line);
  return line;
}
