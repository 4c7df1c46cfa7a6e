/** The real recogniser; its process is killed once in the middle of an utterance. */
import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const diedOnce = path.join(tmpdir(), `recogniser-died-${process.ppid}`);
const SOUNDS_BEFORE = 20;
let sounds = 0;
process.on('message', ({ kind }: { readonly kind: string }) => {
  if (kind !== 'sound' || existsSync(diedOnce) || ++sounds < SOUNDS_BEFORE) return;
  writeFileSync(diedOnce, '');
  process.kill(process.pid, 'SIGKILL');
});
await import('../../../src/voice/engines/recognition/recogniser-process.server.ts');
