import { type AddressInfo, createServer } from 'node:net';

/** A port that nobody else can take until `release`. */
export interface ReservedPort {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Takes a free port of `host`. Features write the site's address into what they mount,
 * so with `PORT=0` the port has to be known before anything listens for requests.
 */
export async function reserveFreePort(host: string): Promise<ReservedPort> {
  const holder = createServer();
  await new Promise<void>((resolve, reject) => {
    holder.once('error', reject);
    holder.listen(0, host, resolve);
  });
  holder.unref();
  return {
    port: (holder.address() as AddressInfo).port,
    release: () => new Promise((resolve) => holder.close(() => resolve())),
  };
}
