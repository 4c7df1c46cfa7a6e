import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ArchivedDatabase,
  rowsAt,
  startArchivedDatabase,
} from '../../../../tests/backup/archived-database.ts';
import { readWalStatus, secondsAtRisk } from '../../../kernel/resources/database/wal-status.ts';
import { removeArchives } from '../backup-expiry.server.ts';
import { type ArchivePlace, openArchivePlace } from './archive-place.server.ts';
import { findMoment } from './moment-search.server.ts';
import { beginArchive, listArchives, listPieces, type WalPiece } from './wal-archive.server.ts';
import type { WalShipping } from './wal-shipping.server.ts';

let installation: ArchivedDatabase;
let folder: string;

beforeAll(async () => {
  installation = await startArchivedDatabase();
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-care-'));
});
afterAll(async () => {
  await installation?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const status = () => readWalStatus(installation.dataDir);
const none = () => path.join(folder, 'none');

/** Begins an archive in a place of its own, with a first copy. */
async function begin(
  name: string,
  options: { readonly passphrase?: string } = {},
): Promise<{ root: string; place: ArchivePlace; shipping: WalShipping }> {
  const root = path.join(folder, name);
  const place = openArchivePlace(root, path.join(folder, 'staging'));
  const shipping = installation.archive(place, options);
  await shipping.ship();
  await shipping.makeBase();
  await shipping.ship();
  return { root, place, shipping };
}

async function newest(place: ArchivePlace) {
  const found = (await listArchives(place, installation.keys.voice_org_id)).at(-1);
  if (found === undefined) throw new Error('There is no archive.');
  return { ...found, place };
}

/** Writes rows and archives them; returns the piece. */
async function writePiece(shipping: WalShipping, place: ArchivePlace, rows: number): Promise<WalPiece> {
  await installation.write(rows);
  await shipping.ship();
  return (await listPieces(await newest(place))).at(-1) as WalPiece;
}

/** The acknowledged rows up to now, which every restore to the end has. */
const all = (): number[] => installation.rows.map(({ id }) => id);
const ids = async (place: ArchivePlace, wish: Date | undefined): Promise<unknown[]> =>
  (await rowsAt(place, wish)).map(({ id }) => id);

test('many small pieces become few, and a stop that archives the rest says that nothing is at risk', async () => {
  const { place, shipping } = await begin('many');
  for (let second = 0; second < 65; second += 1) await writePiece(shipping, place, 1);
  expect((await listPieces(await newest(place))).length).toBeLessThan(30);
  await installation.write(1);
  expect(secondsAtRisk(status() as never, new Date(Date.now() + 5000))).toBeGreaterThan(4);
  await shipping.finish();
  expect(secondsAtRisk(status() as never, new Date(Date.now() + 5000))).toBe(0);
  expect(await ids(place, undefined)).toEqual(all());
  await installation.archive(place).ship();
  expect(status()).toMatchObject({ is_complete: false, error: null });
});

test('a moment that the clock showed twice is restored to the later one', async () => {
  const { root, place, shipping } = await begin('clock');
  const first = await writePiece(shipping, place, 3);
  const early = installation.rows.at(-1);
  await writePiece(shipping, place, 2);
  const between = Date.now();
  await writePiece(shipping, place, 2);
  // As if the clock had been ten minutes ahead while the first rows were archived.
  const { name } = await newest(place);
  const ahead = first.name.replace(/\d+$/, String(first.reached + 600_000));
  renameSync(path.join(root, name, first.name), path.join(root, name, ahead));
  expect(await ids(place, new Date(between + 1))).toEqual(all());
  expect(await ids(place, new Date(early?.at ?? 0))).toEqual(all().slice(0, -4));
});

test('after a change of the passphrase the former archive can be restored, and who was erased since stays erased', async () => {
  const { place, shipping } = await begin('phrases', { passphrase: 'the first passphrase' });
  await writePiece(shipping, place, 1);
  const wish = new Date(installation.rows.at(-1)?.at ?? 0);
  const later = installation.archive(place, { passphrase: 'the second passphrase' });
  await later.ship();
  expect(status()?.gap).toMatchObject({ to: null, because: 'The passphrase was changed.' });
  const [account] = await installation.query(
    "insert into auth.users (id, email) values (gen_random_uuid(), 'gone@example.com') returning id",
  );
  await installation.query('delete from auth.users where id = $1', [account?.id]);
  await later.ship();
  const moment = await findMoment(place, 'the first passphrase', { wish, dataDir: none() });
  expect(moment.erased[String(account?.id)]).toBeDefined();
});

test('what was removed from an archive is noticed once a day, what cannot be read at a start, and the archive begins anew', async () => {
  const { root, place, shipping } = await begin('missing');
  const piece = await writePiece(shipping, place, 1);
  await writePiece(shipping, place, 1);
  const { name } = await newest(place);
  const next = installation.archive(place);
  await next.ship();
  rmSync(path.join(root, name, piece.name));
  await next.ship();
  expect(status()?.archive).toBe(name);
  await next.care();
  await next.ship();
  expect(status()?.gap?.because).toBe('A part of the archive is missing.');
  await next.makeBase();
  await next.ship();
  const again = await newest(place);
  const [base = ''] = (await place.list(`${again.name}/base/`)).filter((one) => one.endsWith('.json'));
  writeFileSync(path.join(root, base), '{}');
  // What a killed process left of a piece.
  const left = path.join(root, again.name, 'wal', 'half.1-1.unfinished');
  writeFileSync(left, 'x');
  await installation.archive(place).ship();
  expect(existsSync(left)).toBe(false);
  expect(status()?.gap?.because).toContain('was changed or is damaged');
  expect(status()?.error).toBeNull();
});

test('the database is copied when a copy is due, and also when the clock was put back behind the last one', async () => {
  const { root, place, shipping } = await begin('care');
  expect(shipping.needsBase()).toBe(false);
  const { name } = await newest(place);
  const bases = async () => (await place.list(`${name}/base/`)).filter((one) => one.endsWith('.json'));
  const [base = ''] = await bases();
  const text = JSON.parse(readFileSync(path.join(root, base), 'utf8'));
  writeFileSync(path.join(root, base), JSON.stringify({ ...text, usable_from: '2099-01-01T00:00:00.000Z' }));
  const next = installation.archive(place);
  await next.ship();
  expect(next.needsBase()).toBe(true);
  await next.care();
  expect(await bases()).toHaveLength(2);
  await next.ship();
  expect(next.needsBase()).toBe(false);
  expect((await newest(place)).name).toBe(name);
});

test('archives of several installations in one place are told apart, and turning the archive off removes its own', async () => {
  const { place, shipping } = await begin('shared');
  await writePiece(shipping, place, 1);
  const foreign = randomUUID();
  const { header } = await newest(place);
  const { made_by, cluster, postgres, timeline, start } = header;
  const fields = { made_by, cluster, postgres, timeline, start, because: 'It is another one.' };
  await beginArchive(
    place,
    { ...fields, installation: foreign, after: 0 },
    { passphrase: '', masterSecret: installation.keys.master_secret },
  );
  const own = installation.keys.voice_org_id;
  const wish = { wish: undefined, dataDir: none() };
  await expect(findMoment(place, '', wish)).rejects.toThrow(/say --installation and one of .*, /);
  const moment = await findMoment(place, '', { ...wish, installation: own });
  expect(moment.archive.header.installation).toBe(own);
  await removeArchives(place, own);
  expect((await listArchives(place)).map((one) => one.header.installation)).toEqual([foreign]);
  expect(await place.list(`${moment.archive.name}/`)).toEqual([]);
});
