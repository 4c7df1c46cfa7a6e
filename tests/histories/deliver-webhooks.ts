import { DELIVER_EVENT_JOB } from '../../packages/stripe-emulator/src/ledger/event-record.ts';
import { SERVICES } from '../../src/kernel/contract/routes.ts';
import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';
import { Crash, isCrash, killedAfter } from './crash-plan.ts';
import type { Life } from './life.ts';

interface Job {
  readonly id: string;
  readonly name: string;
  readonly data: Record<string, unknown>;
  readonly copies: number;
}

const MOST_COPIES = 3;
/** More rounds than any history needs. */
const MOST_ROUNDS = 600;

/**
 * Delivers webhooks and runs jobs in any order, two at once in two processes. Some are lost and come again,
 * some come more than once, and processes are killed at any step. `all` continues until nothing waits, `most`
 * until a worker finds nothing.
 */
export async function deliver(life: Life, much: 'some' | 'most' | 'all'): Promise<void> {
  const taken = new Set<string>();
  const all = much === 'all';
  const rounds = much === 'some' ? life.random.below(6) : MOST_ROUNDS;
  await Promise.all([deliverSide(life, 0, rounds, taken), deliverSide(life, 1, rounds, taken)]);
  // Work that the other worker held until its end.
  if (all) await deliverSide(life, 0, MOST_ROUNDS, taken);
  if (all && (await waiting(life)).length > 0) throw new Error('the work does not come to an end');
}

/** One worker. What one worker holds, the other does not take. */
async function deliverSide(life: Life, side: 0 | 1, rounds: number, taken: Set<string>): Promise<void> {
  for (let left = rounds; left > 0; left -= 1) {
    const jobs = (await waiting(life)).filter(({ id }) => !taken.has(id));
    if (jobs.length === 0) return;
    const job = life.random.pick(jobs);
    taken.add(job.id);
    await attempt(life, job, side);
    taken.delete(job.id);
  }
}

function waiting(life: Life): Promise<Job[]> {
  return life.world.database.many(
    uncheckedSql<Job>(
      'select id, name, data, copies from private.history_jobs where history = $1 order by id',
      'foreign',
    ),
    [life.name],
  );
}

async function attempt(life: Life, job: Job, side: 0 | 1): Promise<void> {
  const { random, world } = life;
  // Lost on its way, so it comes again.
  if (random.chance(0.1)) return;
  const again = job.copies < MOST_COPIES && random.chance(0.15);
  const steps = random.chance(0.3) ? 1 + random.below(45) : Number.MAX_SAFE_INTEGER;
  const pauseMs = random.chance(0.12) ? random.pick([20, 100, 500, 2000]) : 0;
  try {
    await killedAfter(steps, () => work(life, job, side), pauseMs);
  } catch (error) {
    if (!isCrash(error)) throw error;
    life.kills += 1;
    return;
  }
  if (again)
    await world.database.run(
      uncheckedSql('update private.history_jobs set copies = copies + 1 where id = $1', 'foreign'),
      [job.id],
    );
  else
    await world.database.run(uncheckedSql('delete from private.history_jobs where id = $1', 'foreign'), [
      job.id,
    ]);
}

async function work(life: Life, job: Job, side: 0 | 1): Promise<void> {
  const { world } = life;
  const process = world.processes[side];
  if (job.name !== DELIVER_EVENT_JOB && job.name !== 'replay') {
    const worker = process.work.get(job.name);
    if (worker === undefined) throw new Error(`nobody works ${job.name}`);
    const attempt = { data: job.data, attempt: 0, last: false, signal: new AbortController().signal };
    return worker(attempt);
  }
  const event = job.name === 'replay' ? job.data : await eventOf(life, String(job.data.event));
  const payload = JSON.stringify(event);
  const signature = world.stripe.webhooks.generateTestHeaderString({ payload, secret: world.webhookSecret });
  const reply = await process.server.inject({
    method: 'POST',
    url: SERVICES.stripeWebhook,
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    payload,
  });
  if (reply.statusCode === 200) return;
  // A killed process sends no reply.
  if (reply.statusCode === 500 && reply.body.includes('killed')) throw new Crash('killed');
  throw new Error(`the webhook was answered with ${reply.statusCode}: ${reply.body}`);
}

async function eventOf(life: Life, id: string): Promise<object> {
  const { data } = await life.world.database.one('select data from private.provider_events where id = $1', [
    id,
  ]);
  return data;
}
