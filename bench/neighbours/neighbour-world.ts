import { loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
import { giveCredits } from '../support/credit-grant.ts';
import { analyseText, storeDocument } from '../support/document-upload.ts';
import { connectAsOwner } from '../support/owner-connection.ts';
import { newPerson, type Person } from '../support/people.ts';
import type { Product } from '../support/product.ts';

/** A busy installation and its people. */
export interface World {
  readonly url: string;
  readonly port: number;
  readonly anonKey: string;
  readonly serviceKey: string;
  readonly voiceKey: string;
  readonly metricsToken: string;
  /** The customer who sends the heavy requests, and has large amounts of data. */
  readonly noisy: Person;
  /** The customer who works at the same time. */
  readonly quiet: Person;
  readonly operator: Person;
  /** Two analysed documents of the noisy customer. */
  readonly documents: readonly string[];
  /** Paths in the bucket: a 20 MB file of the noisy customer, and a small file of the quiet one. */
  readonly largeFile: string;
  readonly smallFile: string;
}

const MEGABYTE = 1024 * 1024;
const FILES = 5000;
const CALLS = 2000;
const CREDITS = 100_000;
const STORAGE_MB = 1_000_000;
const TABLES = ['public.user_files', 'public.enquiries', 'public.news_posts', 'private.voice_records'];

/**
 * Fills a fresh installation with the data of a busy one. @throws Error that says what could not be created
 */
export async function makeWorld(product: Product): Promise<World> {
  const noisy = await newPerson(product);
  const quiet = await newPerson(product);
  const operator = await makeOperator(product);
  for (const { id } of [noisy, quiet]) await giveCredits(product.dataDir, id, CREDITS, STORAGE_MB);
  await fill(product.dataDir, noisy.id);
  const keys = await loadKeys(product.dataDir);
  const largeFile = await storeDocument(noisy, 'large.txt', Buffer.alloc(20 * MEGABYTE, 'harbour lantern '));
  const smallFile = await storeDocument(quiet, 'small.txt', Buffer.alloc(20_000, 'harbour lantern '));
  const documents = await Promise.all(
    ['first', 'second'].map((name) => analyseText(noisy, `${name}.txt`, contractText(name))),
  );
  return {
    url: product.url,
    port: product.port,
    anonKey: product.anonKey,
    serviceKey: product.serviceKey,
    voiceKey: keys.voice_private_key,
    metricsToken: keys.metrics_token,
    ...{ noisy, quiet, operator, documents, largeFile, smallFile },
  };
}

async function makeOperator(product: Product): Promise<Person> {
  const person = await newPerson(product);
  const owner = await connectAsOwner(product.dataDir);
  try {
    await owner.query(
      `update auth.users set raw_app_meta_data = coalesce(raw_app_meta_data, '{}') || '{"role": "operator", "operator_role": "owner"}' where id = $1`,
      [person.id],
    );
  } finally {
    await owner.end();
  }
  const { data, error } = await person.client.auth.signInWithPassword(person);
  if (error !== null) throw new Error(`the operator does not get in: ${error.message}`);
  return { ...person, accessToken: data.session.access_token };
}

/** Inserts thousands of rows into the tables that are listed, searched and counted. */
async function fill(dataDir: string, userId: string): Promise<void> {
  const owner = await connectAsOwner(dataDir);
  try {
    await owner.query('begin');
    // File records without bytes, and enquiries that cause no mails, so the triggers for real ones are
    // switched off.
    for (const table of TABLES) await owner.query(`alter table ${table} disable trigger user`);
    await owner.query(
      `insert into public.user_files (user_id, file_path, file_name, file_type, file_size, mime_type)
       select $1::uuid, $1::text || '/row-' || n, 'Document ' || n || '.txt', 'document', n, 'text/plain'
       from generate_series(1, ${FILES}) n`,
      [userId],
    );
    await owner.query(
      `insert into public.enquiries (id, name, email, phone, enquiry_type, additional_notes, address_hash, text_hash)
       select 'ENQ-20261122-' || lpad(n::text, 8, '0'), 'Person ' || n, 'person-' || n || '@people.example', '',
              'general', repeat('harbour lantern ', 60), 'a' || n, 't' || n
       from generate_series(1, ${FILES}) n`,
    );
    await owner.query(
      `insert into public.news_posts (title, content, url)
       select 'News ' || n, repeat('harbour lantern ', 200) || n, '/' from generate_series(1, ${CALLS}) n`,
    );
    await owner.query(
      `insert into private.voice_records (kind, body)
       select 'call', jsonb_build_object('type', 'webCall', 'status', 'ended', 'cost', 0, 'startedAt', now() - interval '2 days',
         'endedAt', now() - interval '2 days' + interval '3 minutes', 'transcript', repeat('User: harbour lantern. ', 100))
       from generate_series(1, ${CALLS}) n`,
    );
    for (const table of TABLES) await owner.query(`alter table ${table} enable trigger user`);
    await owner.query('commit');
    await owner.query('analyze');
  } finally {
    await owner.end();
  }
}

/** A long contract in which all clauses differ. */
function contractText(name: string): string {
  const clauses = Array.from(
    { length: 400 },
    (_, n) =>
      `${n + 1}. ${name} clause ${n * 7}\n\nThe parties agree that the sum of EUR ${n + 100}.00 is due on ${(n % 28) + 1} March 2027, with a period of notice of ${(n % 6) + 1} months to the end of a quarter.\n`,
  );
  return `Service agreement ${name}\n\n${clauses.join('\n')}`;
}
