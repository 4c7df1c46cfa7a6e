import type { ConversationEvent } from './conversation-events.server.ts';
import type { OpenEngines } from './open-engines.server.ts';
import { costSoFar } from './report-call.server.ts';
import type { CallSetup } from './set-up-call.server.ts';

const WORDS =
  'I have to end this call here. Please send us an enquiry on this page, and a colleague replies within 24 hours. Goodbye.';

/**
 * What happens instead of an answer to `turn` in a call that has cost its providers enough
 * (security.md, attack 40): a goodbye. Undefined while it has not.
 */
export function goodbyeWhenDear(
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
