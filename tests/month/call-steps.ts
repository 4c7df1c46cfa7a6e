import { formatMoney } from '@northline/vat/money';
import { type CallRecord, voiceApi } from '../support/voice/voice-calls.ts';
import type { Step } from './steps.ts';
import { chosen, waitFor } from './world.ts';

/** Asks the agency's assistant for a price, in writing: it names the agency as the pages do, and the price as sold. */
export const call: Step = async ({ app }, _who, pick) => {
  const plan = chosen(app.resources.site.plans.sold, pick);
  if (plan === undefined) return;
  const made = await voiceApi(app, 'POST', '/eval/run', {
    type: 'eval',
    eval: {
      type: 'chat.mockConversation',
      messages: [
        { role: 'user', content: `How much is the ${plan.name}?` },
        { role: 'assistant', judgePlan: { type: 'regex', content: '.' } },
      ],
    },
    target: { type: 'assistant', assistantId: app.resources.keys.voice_assistant_id },
  });
  const run: CallRecord = await waitFor(async () => {
    const { body } = await voiceApi(app, 'GET', `/eval/run/${made.body.id}`);
    return body.status === 'ended' ? body : undefined;
  });
  const [greeting, , answer] = run.results[0].messages.map(({ content }: { content: string }) => content);
  const { BRAND } = app.resources.settings;
  if (!greeting.includes(BRAND)) throw new Error(`the assistant of ${BRAND} greets with: ${greeting}`);
  if (!answer.includes(formatMoney(plan.pricePence, plan.currency)))
    throw new Error(`${plan.name} costs, it says: ${answer}`);
};
