import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { PublishedSite } from '../../kernel/contract/site-content.ts';
import { moment } from '../../kernel/contract/times.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { isMailAddress } from '../../kernel/resources/mailer/mail-check.ts';
import { NOTE_LENGTH, type OperatorAction, REPLY_LENGTH } from './console.contract.ts';
import { declareForOperators, type OperatorScope } from './operator-gate.server.ts';
import { MOST_CREDITS, REASON_LENGTH } from './records/customer-record.contract.ts';

const ID = z.string().min(1).max(80);
const TARGET = z.string().min(1).max(40);
const ADDRESS = z.string().trim().refine(isMailAddress, { error: 'must be an email address' });

const actionRules = (site: PublishedSite) =>
  z.discriminatedUnion('do', [
    z.object({ do: z.literal('enquiry.replied'), id: ID, replied: z.boolean() }),
    z.object({ do: z.literal('enquiry.note'), id: ID, note: z.string().max(NOTE_LENGTH) }),
    z.object({ do: z.literal('enquiry.not_suspect'), id: ID }),
    z.object({ do: z.literal('enquiry.assign'), id: ID, assignee: ADDRESS.nullable() }),
    z.object({ do: z.literal('enquiry.reply'), id: ID, text: z.string().trim().min(1).max(REPLY_LENGTH) }),
    z.object({ do: z.literal('booking.cancel'), id: z.uuid() }),
    z.object({ do: z.literal('target.pause'), target: TARGET, paused: z.boolean() }),
    z.object({ do: z.literal('target.replay'), target: TARGET }),
    z.object({ do: z.literal('target.test'), target: TARGET }),
    z.object({ do: z.literal('event.replay'), id: z.uuid() }),
    z.object({ do: z.literal('mail.retry'), id: z.uuid() }),
    z.object({ do: z.literal('mail.suppress'), address: ADDRESS }),
    z.object({ do: z.literal('mail.lift'), address: ADDRESS }),
    z.object({
      do: z.literal('customer.override'),
      id: z.uuid(),
      plan: z.string().refine((name) => site.plans.sold.some((plan) => plan.name === name), {
        error: () => `must be one of ${site.plans.sold.map(({ name }) => name).join(', ')}`,
      }),
      reason: z.string().trim().min(1).max(200),
      until: moment.nullable().refine((until) => until === null || Date.parse(until) > Date.now(), {
        error: 'must be in the future',
      }),
    }),
    z.object({ do: z.literal('customer.end_override'), id: z.uuid() }),
    z.object({
      do: z.literal('customer.credits'),
      id: z.uuid(),
      amount: z
        .int()
        .min(-MOST_CREDITS)
        .max(MOST_CREDITS)
        .refine((amount) => amount !== 0, { error: 'must not be 0' }),
      reason: z.string().trim().min(1).max(REASON_LENGTH),
    }),
    z.object({ do: z.literal('support.end'), id: z.uuid() }),
  ]);

/** The procedure of each action and what it is called with. The procedures audit (`private.operate`). */
function procedureOf(action: OperatorAction): [call: string, values: unknown[]] {
  switch (action.do) {
    case 'enquiry.replied':
      return ['mark_replied($1, $2)', [action.id, action.replied]];
    case 'enquiry.note':
      return ['set_note($1, $2)', [action.id, action.note]];
    case 'enquiry.not_suspect':
      return ['clear_suspicion($1)', [action.id]];
    case 'enquiry.assign':
      return ['assign_enquiry($1, $2)', [action.id, action.assignee]];
    case 'enquiry.reply':
      return ['reply_enquiry($1, $2)', [action.id, action.text]];
    case 'booking.cancel':
      return ['cancel_booking($1)', [action.id]];
    case 'target.pause':
      return ['pause_target($1, $2)', [action.target, action.paused]];
    case 'target.replay':
      return ['replay_dead($1)', [action.target]];
    case 'target.test':
      return ['test_target($1)', [action.target]];
    case 'event.replay':
      return ['replay_event($1)', [action.id]];
    case 'mail.retry':
      return ['retry_mail($1)', [action.id]];
    case 'mail.suppress':
      return ['suppress($1)', [action.address]];
    case 'mail.lift':
      return ['lift_suppression($1)', [action.address]];
    case 'customer.override':
      return ['override_plan($1, $2, $3, $4)', [action.id, action.plan, action.reason, action.until]];
    case 'customer.end_override':
      return ['end_override($1)', [action.id]];
    case 'customer.credits':
      return ['change_credits($1, $2, $3)', [action.id, action.amount, action.reason]];
    case 'support.end':
      return ['end_support($1)', [action.id]];
  }
}

/**
 * `POST /functions/v1/operator-act`: `{do, …}` in, `{done}` out, where `done` says what came of it: true, or a
 * number of events. 409 `nothing_to_do` when there was nothing to do it to.
 */
export function serveActions(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'act',
    method: 'POST',
    input: actionRules(scope.resources.site),
    async answer(queries, action) {
      const [call, values] = procedureOf(action);
      const { done } = await queries.one(
        uncheckedSql<{ done: boolean | number | string | null }>(
          `select operator.${call} as done`,
          'composed',
        ),
        values,
      );
      if (done === false || done === null || done === 0) {
        throw new ServiceError(
          409,
          'nothing_to_do',
          'Nothing was changed: it is no longer as the page shows it.',
        );
      }
      return { done };
    },
  });
}
