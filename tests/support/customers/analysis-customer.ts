import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Report } from '../../../packages/document-reader/src/contract/report.contract.ts';
import { makeDocuments } from '../../../packages/document-reader/src/samples/make-documents.fixture.ts';
import type { TestApp } from '../test-app.ts';

const documents = makeDocuments();

/** A signed-up user with credits. */
export interface Customer {
  readonly id: string;
  readonly token: string;
  readonly client: SupabaseClient;
}

/** What the list shows about a file. */
export interface FileRow {
  readonly status: string;
  readonly progress: number | null;
  readonly status_reason: string | null;
  readonly analyzed: boolean;
  readonly analyzed_url: string | null;
}

/** The published client, unmodified. */
export function clientOf(app: TestApp, key = app.anonKey): SupabaseClient {
  return createClient(app.url, key, { auth: { persistSession: false, autoRefreshToken: false } });
}

/** Signs up a customer with credits. */
export async function newCustomer(app: TestApp, name: string): Promise<Customer> {
  const client = clientOf(app);
  const { data, error } = await client.auth.signUp({
    email: `${name}@customers.example`,
    password: 'harbour tulip seventeen',
    options: { data: { full_name: 'Eleanor Whitcombe', phone: '0117 496 0182' } },
  });
  if (error !== null || data.session === null || data.user === null)
    throw new Error(error?.message ?? 'no session');
  await app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 50)
     on conflict (user_id) do update set credits = 50`,
    [data.user.id],
  );
  return { id: data.user.id, token: data.session.access_token, client };
}

const MIME: Record<string, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  txt: 'text/plain',
};

/** Uploads as the dashboard does; returns the id of the record. */
export async function upload(customer: Customer, name: string, content = documents[name]): Promise<string> {
  const { client, id } = customer;
  const type = MIME[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
  const used = await client.rpc('use_credits', {
    p_user_id: id,
    p_amount: 1,
    p_description: 'Document Analysis',
  });
  if (used.error !== null) throw used.error;
  const path = `${id}/${Date.now()}${Math.round(Math.random() * 1e6)}_${name}`;
  const stored = await client.storage
    .from('user-uploads')
    .upload(path, content ?? Buffer.alloc(0), { contentType: type });
  if (stored.error !== null) throw stored.error;
  const { data, error } = await client
    .from('user_files')
    .insert({
      user_id: id,
      file_path: path,
      file_name: name,
      file_type: 'document',
      file_size: content?.length ?? 0,
      mime_type: type,
    })
    .select('id')
    .single();
  if (error !== null) throw error;
  return String(data?.id);
}

/** Calls the function `analyze`, with the document's password if it has one. */
export async function analyze(
  app: TestApp,
  token: string,
  fileId: string,
  password?: string,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${app.url}/functions/v1/analyze`, {
    method: 'POST',
    headers: { apikey: app.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ file_id: fileId, password }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The file as the database has it. */
export function fileOf(app: TestApp, fileId: string): Promise<FileRow> {
  return app.resources.database.one(
    'select status, progress, status_reason, analyzed, analyzed_url from public.user_files where id = $1',
    [fileId],
  );
}

/** Waits until the file is no longer being analysed. */
export async function settled(app: TestApp, fileId: string): Promise<FileRow> {
  for (;;) {
    const file = await fileOf(app, fileId);
    if (!['uploaded', 'queued', 'analyzing'].includes(file.status)) return file;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Credits left. */
export async function creditsOf(app: TestApp, userId: string): Promise<number> {
  const { credits } = await app.resources.database.one(
    'select credits from public.customers where user_id = $1',
    [userId],
  );
  return credits;
}

/** A row of `analysis_reports`. */
export interface StoredReport {
  readonly report: Report;
  readonly blocks: unknown[];
}

/** The stored report of a file. */
export function reportOf(app: TestApp, fileId: string): Promise<StoredReport> {
  return app.resources.database.one(
    'select report, blocks from northline_app.analysis_reports where file_id = $1',
    [fileId],
  );
}
