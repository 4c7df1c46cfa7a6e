import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { CREDIT_DESCRIPTION, UPLOADS_BUCKET } from '../../../src/kernel/contract/limits.ts';
import type { TestApp } from '../test-app.ts';

/** A signed-in user with credits, and the published client. */
export interface UploadingCustomer {
  readonly id: string;
  readonly token: string;
  readonly client: SupabaseClient;
  readonly bucket: ReturnType<SupabaseClient['storage']['from']>;
  /** `{id}/{name}`. */
  path(name: string): string;
  takeCredit(): Promise<boolean>;
  /** use_credits, upload, insert: the specified sequence (docs/specification/site.md §7). */
  upload(name: string, body: Blob | Buffer | string, contentType?: string): Promise<'stored' | string>;
  credits(): Promise<number>;
  /** States of the spendings, oldest first. */
  spendings(): Promise<string[]>;
}

/** Creates an account directly in the database, with `credits` that its ledger explains. */
export async function createCustomer(app: TestApp, credits = 10): Promise<UploadingCustomer> {
  const { database, tokens } = app.resources;
  const id = randomUUID();
  await database.run('insert into auth.users (id, email) values ($1, $2)', [id, `${id}@customers.example`]);
  await database.run(
    `with customer as (insert into public.customers (user_id, credits) values ($1, $2) returning id)
     insert into public.credit_transactions (user_id, customer_row, amount, kind)
     select $1, id, $2, 'grant' from customer`,
    [id, credits],
  );
  const token = await tokens.sign({
    sub: id,
    role: 'authenticated',
    aud: 'authenticated',
    exp: Math.floor(Date.now() / 1000) + 3600,
  });
  const client = createClient(app.url, app.anonKey, { accessToken: async () => token });
  const bucket = client.storage.from(UPLOADS_BUCKET);
  const customer: UploadingCustomer = {
    id,
    token,
    client,
    bucket,
    path: (name) => `${id}/${name}`,
    async takeCredit() {
      const { data, error } = await client.rpc('use_credits', {
        p_user_id: id,
        p_amount: 1,
        p_description: CREDIT_DESCRIPTION,
      });
      if (error !== null) throw new Error(error.message);
      return data === true;
    },
    async upload(name, body, contentType = 'text/plain') {
      if (!(await customer.takeCredit())) return 'no credit';
      const stored = await bucket.upload(customer.path(name), body, { contentType });
      if (stored.error !== null) return stored.error.message;
      const recorded = await client.from('user_files').insert({
        user_id: id,
        file_path: customer.path(name),
        file_name: name,
        file_type: 'document',
        file_size: 1,
        mime_type: contentType,
        analyzed: false,
      });
      return recorded.error === null ? 'stored' : recorded.error.message;
    },
    async credits() {
      const row = await database.one('select credits from public.customers where user_id = $1', [id]);
      return row.credits;
    },
    async spendings() {
      const rows = await database.many(
        "select state from public.credit_transactions where user_id = $1 and kind = 'spend' order by created_at",
        [id],
      );
      return rows.map(({ state }) => state);
    },
  };
  return customer;
}

/** The smallest PDF that readers open. */
export const SMALL_PDF = Buffer.from(
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n',
);

/** Every name in the object store: stored files, or received parts of uploads. */
export function storedFiles(app: TestApp, which: 'kept' | 'received'): Promise<string[]> {
  return Array.fromAsync(app.resources.objects[which]());
}

/** A document of the shared test corpus, or undefined when the corpus is missing. */
export function corpusFile(name: string): Buffer | undefined {
  try {
    return readFileSync(
      path.join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'corpus', 'documents', name),
    );
  } catch {
    return undefined;
  }
}
