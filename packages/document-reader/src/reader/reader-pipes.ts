import { readSync, writeSync } from 'node:fs';

/** Reads the standard input until the parent closes it. */
export function readInput(): string {
  const parts: Buffer[] = [];
  const part = Buffer.alloc(64 * 1024);
  for (;;) {
    try {
      const length = readSync(0, part);
      if (length === 0) return Buffer.concat(parts).toString('utf8');
      parts.push(Buffer.from(part.subarray(0, length)));
    } catch (error) {
      waitForPipe(error);
    }
  }
}

/** Writes all bytes, however slowly the parent reads. */
export function writeAll(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      waitForPipe(error);
    }
  }
}

/** Waits a moment for a pipe that is full or empty; throws any other error. */
function waitForPipe(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}
