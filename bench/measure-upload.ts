import { closeSync, fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { CREDIT_DESCRIPTION, UPLOADS_BUCKET } from '../src/kernel/contract/limits.ts';
import { SERVICES } from '../src/kernel/contract/routes.ts';
import { giveCredits } from './support/credit-grant.ts';
import { type Figure, median, residentBytes, shown } from './support/figure.ts';
import { newPerson, type Person } from './support/people.ts';
import type { Product } from './support/product.ts';

const SIZE = 100 * 1024 * 1024;
const CHUNK = Buffer.alloc(256 * 1024, 'Northline reads plain text as well as any other document. ');
const ROUNDS = 3;
const MOST_MEMORY = 64 * 1024 * 1024;

/**
 * A 100 MB upload, compared with writing the same bytes to a file and syncing it; also the peak memory during
 * the upload.
 */
export async function measureUpload(product: Product): Promise<Figure[]> {
  const person = await newPerson(product);
  await giveCredits(product.dataDir, person.id, ROUNDS + 1, 2048);
  await upload(product, person, 1024 * 1024);
  const pid = product.process.pid ?? 0;
  const before = await residentBytes(pid);
  let peak = before;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await residentBytes(pid));
  }, 20);
  const own: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await timed(() => upload(product, person, SIZE)));
    plain.push(await timed(async () => writePlainly(path.join(product.dataDir, 'plain.tmp'))));
  }
  clearInterval(watch);
  const ratio = median(plain) / median(own);
  const more = peak - before;
  return [
    {
      name: '100 MB upload',
      measured: shown(SIZE / 1e6 / (median(own) / 1000), 'MB/s'),
      against: `${shown(SIZE / 1e6 / (median(plain) / 1000), 'MB/s')} plain write and fsync`,
      ratio,
      aim: 'at least 0.6',
      met: ratio >= 0.6,
    },
    {
      name: 'Memory during it',
      measured: `${shown(more / 1048576, 'MB')} more`,
      against: '',
      aim: 'at most 64 MB more',
      met: more <= MOST_MEMORY,
    },
  ];
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function writePlainly(file: string): void {
  const handle = openSync(file, 'w');
  for (let written = 0; written < SIZE; written += CHUNK.length) writeSync(handle, CHUNK);
  fsyncSync(handle);
  closeSync(handle);
  unlinkSync(file);
}

async function upload(product: Product, person: Person, size: number): Promise<void> {
  const used = await person.client.rpc('use_credits', {
    p_user_id: person.id,
    p_amount: 1,
    p_description: CREDIT_DESCRIPTION,
  });
  if (used.data !== true) throw new Error(`use_credits: ${used.error?.message ?? used.data}`);
  const file = `${person.id}/${Date.now()}_bench.txt`;
  await new Promise<void>((resolve, reject) => {
    const request = http.request(
      {
        port: product.port,
        host: '127.0.0.1',
        method: 'POST',
        path: `${SERVICES.storage}/object/${UPLOADS_BUCKET}/${file}`,
        headers: {
          apikey: product.anonKey,
          authorization: `Bearer ${person.accessToken}`,
          'content-type': 'text/plain',
          'content-length': size,
          'x-upsert': 'false',
        },
      },
      (reply) => {
        let text = '';
        reply.on('data', (chunk) => {
          text += chunk;
        });
        reply.on('end', () => (reply.statusCode === 200 ? resolve() : reject(new Error(text))));
      },
    );
    request.on('error', reject);
    let left = size;
    const send = (): void => {
      while (left > 0) {
        const chunk = left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left);
        left -= chunk.length;
        if (!request.write(chunk)) {
          request.once('drain', send);
          return;
        }
      }
      request.end();
    };
    send();
  });
}
