import { createHash } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { reasonsToSuspect } from '../enquiry-suspicion.server.ts';
import { leadingZeroBits, type WorkChallenge, type WorkProof } from './proof-of-work.contract.ts';
import { issueChallenge, verifyProof } from './proof-of-work.server.ts';
import { solve } from './proof-of-work.web.ts';
import { sha256 } from './sha256.web.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(() => app.resources.database.run('delete from public.enquiries'));

const { signal } = new AbortController();
const HOUR = 3_600_000;

test('the browser’s hash equals Node’s for every length', () => {
  for (let length = 0; length < 140; length += 1) {
    const text = 'é€x'.repeat(length).slice(0, length);
    expect(Buffer.from(sha256(text)).toString('hex')).toBe(createHash('sha256').update(text).digest('hex'));
  }
});

test('zero bits are counted over bytes', () => {
  expect([[255], [1], [0, 128], [0, 0, 16], [0, 0]].map(leadingZeroBits)).toEqual([0, 7, 8, 19, 16]);
});

describe('a proof', () => {
  const judge = (proof: WorkProof, now?: number) => verifyProof(app.resources.keys, proof, now).is;
  const opened = Date.now();
  const make = async (bits = 8, at = opened): Promise<WorkProof> =>
    solve(issueChallenge(app.resources.keys, bits, at), signal);

  test('is good once it is solved, for two hours', async () => {
    const proof = await make();
    expect(judge(proof, opened + HOUR)).toBe('good');
    expect(judge(proof, opened + 3 * HOUR)).toBe('wrong');
    expect(judge(proof, opened - 1)).toBe('wrong');
  });

  test('is wrong with another difficulty, another signature, another number', async () => {
    const proof = await make();
    const [time, , nonce, signature] = proof.challenge.split('.');
    expect(judge({ ...proof, challenge: [time, 0, nonce, signature].join('.') }, opened)).toBe('wrong');
    expect(judge({ ...proof, challenge: `${time}.0.${nonce}.` }, opened)).toBe('wrong');
    expect(judge({ challenge: '', answer: 0 }, opened)).toBe('wrong');
    const unsolved = issueChallenge(app.resources.keys, 40, opened);
    expect(judge({ challenge: unsolved.challenge, answer: 1 }, opened)).toBe('wrong');
  });
});

async function enquire(proof: unknown, email: string): Promise<string[]> {
  const { data, error } = await createClient(app.url, app.anonKey).functions.invoke('enquiry', {
    body: { name: 'Priya', email, enquiry_type: 'App Builder', elapsed_ms: 9000, proof },
  });
  expect(error).toBeNull();
  const row = await app.resources.database.one('select suspect_reasons from public.enquiries where id = $1', [
    data.id,
  ]);
  return row.suspect_reasons;
}

const acknowledged = async (email: string) =>
  (await app.resources.mailer.kept(200)).filter(({ to }) => to === email).length;

describe('attack 38: an enquiry', () => {
  test('with the work done is like any other; the same work a second time is not', async () => {
    const { data } = await createClient(app.url, app.anonKey).functions.invoke<WorkChallenge>(
      'enquiry-challenge',
      { method: 'GET' },
    );
    const proof = await solve(data as WorkChallenge, signal);
    // The form was open for a while, by our own clock.
    const older = await solve(issueChallenge(app.resources.keys, 8, Date.now() - 60_000), signal);
    expect(await enquire(proof, 'served@example.com')).not.toContain('wrong proof of work');
    const hurried = { nickname: '', elapsedMs: undefined, text: '', addressHash: 'a', textHash: 't' };
    const work = { is: 'good', hash: 'of nobody', ageMs: 1999 } as const;
    expect(await reasonsToSuspect(app.resources.database, { ...hurried, work })).toEqual(['sent too fast']);
    expect(await enquire(older, 'first@example.com')).toEqual([]);
    expect(await enquire(older, 'second@example.com')).toEqual(['wrong proof of work']);
    expect(await acknowledged('first@example.com')).toBe(1);
    expect(await acknowledged('second@example.com')).toBe(0);
  });

  test('without it is stored and marked, and still delivered, because other clients send none', async () => {
    expect(await enquire(undefined, 'none@example.com')).toEqual(['no proof of work']);
    expect(await enquire('rubbish', 'rubbish@example.com')).toEqual(['no proof of work']);
    expect(await acknowledged('none@example.com')).toBe(1);
  });

  test('costs more while many come in', async () => {
    const ask = async () =>
      (
        await createClient(app.url, app.anonKey).functions.invoke<WorkChallenge>('enquiry-challenge', {
          method: 'GET',
        })
      ).data?.bits;
    expect(await ask()).toBe(16);
    await app.resources.database.run(
      `insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash)
       select 'ENQ-' || n || '-a', 'N', 'n@example.com', 'App Builder', 'a' || n, 't' || n from generate_series(1, 60) n`,
    );
    expect(await ask()).toBe(18);
  });
});
