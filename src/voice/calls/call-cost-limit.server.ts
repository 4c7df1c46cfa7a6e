import type { OpenEngines } from './call-engines.server.ts';
import type { CallSetup } from './call-setup.server.ts';
import type { ConversationEvent } from './conversation/conversation-events.server.ts';
import { costSoFar } from './record/call-report.server.ts';

const WORDS =
  'I have to end this call here. Please send us an enquiry on this page, and a colleague replies within 24 hours. Goodbye.';

/**
 * The goodbye that replaces an answer to `turn` once a call has cost its limit (docs/security-attacks.md,
 * attack 40); undefined before.
 */
export function overBudget(
  turn: number,
  engines: OpenEngines | undefined,
  { engines: { prices }, mostDollars }: Pick<CallSetup, 'engines' | 'mostDollars'>,
): readonly ConversationEvent[] | undefined {
  if (costSoFar(engines, prices) <= mostDollars) return undefined;
  return [
    { type: 'reply-ended', turn },
    { type: 'say', text: WORDS, endCallAfterSpoken: true },
  ];
}
