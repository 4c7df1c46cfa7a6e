import {
  closeDispute,
  openDispute,
  refundCharge,
} from '../../packages/stripe-emulator/src/ledger/charge-disputes.ts';
import { listObjects, type ProviderObject } from '../../packages/stripe-emulator/src/provider-store.ts';
import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';
import { atProvider, type Life, ours } from './life.ts';

/** Refunds a payment, in whole or in part. */
export async function refund(life: Life): Promise<void> {
  const charge = await aCharge(life);
  if (charge === undefined) return;
  const amount = life.random.chance(0.5)
    ? Number(charge.amount)
    : 1 + life.random.below(Number(charge.amount));
  await atProvider(life, (change) => refundCharge(change, charge.id, { amount }));
}

/** Opens a dispute of a payment, or ends the existing one. */
export async function dispute(life: Life): Promise<void> {
  const charge = await aCharge(life);
  if (charge === undefined) return;
  const [known] = await listObjects(life.world.database, 'dispute', {
    matching: { charge: charge.id },
    limit: 1,
  });
  await atProvider(life, (change) =>
    known === undefined
      ? openDispute(change, charge.id, {})
      : closeDispute(change, known.id, life.random.pick(['won', 'lost'])),
  );
}

/** Takes credits for uploads; some are settled, some released, and some still wait. */
export async function spend(life: Life): Promise<void> {
  for (let count = 1 + life.random.below(4); count > 0; count -= 1) {
    const amount = 1 + life.random.below(3);
    await ours(life, ({ resources }) =>
      resources.database.transaction(async (queries) => {
        await queries.many(`select set_config('request.jwt.claims', '{"role":"service_role"}', true)`);
        await queries.many('select public.use_credits($1, $2, $3)', [life.user, amount, 'Document Analysis']);
      }),
    );
  }
  const open = await life.world.database.many(
    "select id from public.credit_transactions where user_id = $1 and state = 'reserved' order by created_at, id",
    [life.user],
  );
  for (const { id } of open) {
    const fate = life.random.below(3);
    const text =
      fate === 0
        ? "update public.credit_transactions set state = 'settled', expires_at = null where id = $1"
        : 'select private.return_credit($1)';
    if (fate < 2) await ours(life, ({ resources }) => resources.database.many(text, [id]));
  }
}

/** Old events come again, some with new ids. */
export async function replay(life: Life): Promise<void> {
  const events = await life.world.database.many(
    `select data from private.provider_events where data #>> '{data,object,customer}' = $1
     order by position desc limit 12`,
    [life.customer],
  );
  for (const { data } of events.filter(() => life.random.chance(0.4))) {
    const again = life.random.chance(0.5) ? data : { ...data, id: `${data.id}_${life.random.below(1e6)}` };
    await life.world.database.run(
      uncheckedSql(
        `insert into private.history_jobs (history, name, data) values ($1, 'replay', $2)`,
        'foreign',
      ),
      [life.name, JSON.stringify(again)],
    );
  }
}

async function aCharge(life: Life): Promise<ProviderObject | undefined> {
  const charges = await listObjects(life.world.database, 'charge', { customer: life.customer, limit: 100 });
  return charges.length === 0 ? undefined : life.random.pick(charges);
}
