import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeWave } from '@northline/speech/wave-file';

/** A server on the loopback with sounds; every other path is 404. */
export interface SoundServer {
  /** Its name and port, in the form of `OUTBOUND_ALLOW_HOSTS`. */
  readonly host: string;
  close(): Promise<void>;
}

/** @param sounds by their paths: mono, 16 000 samples a second */
export async function openSoundServer(sounds: Readonly<Record<string, Int16Array>>): Promise<SoundServer> {
  const server = createServer(({ url = '' }, reply) => {
    const pcm = sounds[url];
    reply.writeHead(pcm === undefined ? 404 : 200, { 'content-type': 'audio/wav' });
    reply.end(pcm === undefined ? '' : writeWave([pcm]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
