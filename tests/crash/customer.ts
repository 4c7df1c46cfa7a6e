import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { CREDIT_DESCRIPTION, LIMITS, UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import { SERVICES } from '../../src/kernel/contract/routes.ts';
import type { Random } from '../histories/random.ts';
import { payWithCard } from '../support/customers/card-payment.ts';

/** What the server acknowledged to one customer: none of it may be lost or doubled. */
export interface Acknowledged {
  readonly userId: string;
  /** Checkouts that ended on the success page. */
  payments: number;
  /** Files whose upload and record were both acknowledged: path to SHA-256. */
  readonly files: Map<string, string>;
  /** Records whose deletion was acknowledged. */
  readonly deleted: Set<string>;
  /** Files whose analysis was acknowledged as queued. */
  readonly analyses: Set<string>;
}

/** Thrown inside a customer's step when the process died during it. */
class Interrupted extends Error {}

/** A customer who keeps using the product while it is being killed. */
export interface Customer {
  readonly acknowledged: Acknowledged;
  /** Does one thing, chosen by `dice` (0 to 1); an interruption is no error. */
  act(dice: number): Promise<void>;
}

const PASSWORD = `crash-${randomBytes(9).toString('base64url')}`;
const WORDS =
  'rent deposit tenant landlord notice invoice total payable date term clause service repair'.split(' ');

/** Signs up a new customer; waits while the server is down. */
export async function createCustomer(url: string, anonKey: string, random: Random): Promise<Customer> {
  const email = `crash-${randomUUID()}@customers.example`;
  const client = createClient(url, anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
  const userId = await patiently(async () => {
    const made = await client.auth.signUp({
      email,
      password: PASSWORD,
      options: { data: { full_name: 'Crash Test' } },
    });
    if (made.data.user !== null && made.data.session !== null) return made.data.user.id;
    const known = await client.auth.signInWithPassword({ email, password: PASSWORD });
    if (known.data.user === null) throw new Interrupted('the sign-up was cut off');
    return known.data.user.id;
  });
  const acknowledged: Acknowledged = {
    userId,
    payments: 0,
    files: new Map(),
    deleted: new Set(),
    analyses: new Set(),
  };
  return {
    acknowledged,
    async act(dice) {
      try {
        if (dice < 0.15) await buy(url, client, acknowledged);
        else if (dice < 0.65) await upload(client, acknowledged, random);
        else if (dice < 0.9) await analyze(url, client, acknowledged, random);
        else await remove(client, acknowledged, random);
      } catch (error) {
        if (!isInterruption(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
}

async function accessToken(client: SupabaseClient): Promise<string> {
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new Error('a customer lost the session');
  return data.session.access_token;
}

async function buy(url: string, client: SupabaseClient, acknowledged: Acknowledged): Promise<void> {
  const plan = SPECIFIED_PLANS[0];
  const reply = await fetch(`${url}${SERVICES.checkout}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await accessToken(client)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      price_id: plan?.priceId,
      success_url: `${url}/success`,
      cancel_url: `${url}/cancel`,
      mode: 'subscription',
    }),
  });
  if (!reply.ok) throw new Interrupted(await reply.text());
  const { url: page } = (await reply.json()) as { url: string };
  const outcome = await payWithCard(page, '4242424242424242', 'crash@customers.example');
  if (outcome.redirectedTo?.includes('/success')) acknowledged.payments += 1;
}

async function upload(client: SupabaseClient, acknowledged: Acknowledged, random: Random): Promise<void> {
  const { userId } = acknowledged;
  const text = Array.from({ length: 400 }, () => random.pick(WORDS)).join(' ');
  const body = Buffer.from(`Letter ${randomUUID()}\n\n${text}.\n`);
  const used = await client.rpc('use_credits', {
    p_user_id: userId,
    p_amount: LIMITS.creditsPerUpload,
    p_description: CREDIT_DESCRIPTION,
  });
  if (used.error !== null) throw new Interrupted(used.error.message);
  if (used.data !== true) return;
  const path = `${userId}/${Date.now()}_letter-${randomUUID()}.txt`;
  const stored = await client.storage
    .from(UPLOADS_BUCKET)
    .upload(path, body, { contentType: 'text/plain', cacheControl: '3600', upsert: false });
  if (stored.error !== null) throw new Interrupted(stored.error.message);
  const recorded = await client.from('user_files').insert({
    user_id: userId,
    file_path: path,
    file_name: path.split('/')[1],
    file_type: 'document',
    file_size: body.length,
    mime_type: 'text/plain',
  });
  if (recorded.error !== null) throw new Interrupted(recorded.error.message);
  acknowledged.files.set(path, createHash('sha256').update(body).digest('hex'));
}

async function pick(
  client: SupabaseClient,
  acknowledged: Acknowledged,
  random: Random,
): Promise<{ id: string; file_path: string } | null> {
  const { data, error } = await client
    .from('user_files')
    .select('id, file_path')
    .eq('user_id', acknowledged.userId)
    .is('deleted_at', null)
    .order('created_at', { ascending: false })
    .limit(20);
  if (error !== null) throw new Interrupted(error.message);
  return data.length === 0 ? null : random.pick(data);
}

async function analyze(
  url: string,
  client: SupabaseClient,
  acknowledged: Acknowledged,
  random: Random,
): Promise<void> {
  const file = await pick(client, acknowledged, random);
  if (file === null) return;
  const reply = await fetch(`${url}${SERVICES.analyze}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await accessToken(client)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ file_id: file.id }),
  });
  if (reply.ok) acknowledged.analyses.add(file.file_path);
  else if (reply.status >= 500) throw new Interrupted(await reply.text());
}

async function remove(client: SupabaseClient, acknowledged: Acknowledged, random: Random): Promise<void> {
  const file = await pick(client, acknowledged, random);
  if (file === null) return;
  const { error } = await client
    .from('user_files')
    .delete()
    .eq('id', file.id)
    .eq('user_id', acknowledged.userId);
  // An interrupted deletion may or may not have happened; only in that case are both outcomes right.
  if (error !== null) {
    acknowledged.files.delete(file.file_path);
    acknowledged.analyses.delete(file.file_path);
    throw new Interrupted(error.message);
  }
  acknowledged.deleted.add(file.file_path);
  acknowledged.files.delete(file.file_path);
  acknowledged.analyses.delete(file.file_path);
}

/** Network failures, and the client's own wrapping of them; anything else is a finding. */
function isInterruption(error: unknown): boolean {
  if (error instanceof Interrupted) {
    return !/invalid|violates|not allowed|denied/i.test(error.message);
  }
  return error instanceof TypeError || /fetch failed|terminated|ECONN|socket/i.test(String(error));
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt > 200 || !isInterruption(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
