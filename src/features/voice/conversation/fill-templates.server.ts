import type { CallAssistant } from '../engines.server.ts';
import { filledTemplate } from './turn-rules.server.ts';

/** What a template may name without being given it, in the agency's time zone. */
function usualValues(now: Date, zone: string): Record<string, string> {
  const show = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(now);
  const date = show({ day: 'numeric', month: 'long', year: 'numeric' });
  const time = show({ hour: '2-digit', minute: '2-digit' });
  return {
    now: `${date}, ${time}`,
    date,
    time,
    day: show({ weekday: 'long' }),
    month: show({ month: 'long' }),
    year: show({ year: 'numeric' }),
  };
}

/**
 * An assistant with the values of one call in its texts: `{{name}}` of `variableValues`, and now, date,
 * time, day, month and year. What is not given becomes nothing.
 *
 * @param zone IANA name of the agency's time zone
 */
export function filledAssistant(assistant: CallAssistant, now: Date, zone: string): CallAssistant {
  const values = { ...usualValues(now, zone), ...assistant.variableValues };
  const fill = <Text>(text: Text): Text =>
    typeof text === 'string' ? (filledTemplate(text, values) as Text) : text;
  const { model, messagePlan } = assistant;
  return {
    ...assistant,
    ...(assistant.firstMessage === undefined ? {} : { firstMessage: fill(assistant.firstMessage) }),
    ...(assistant.endCallMessage === undefined ? {} : { endCallMessage: fill(assistant.endCallMessage) }),
    ...(model?.messages === undefined
      ? {}
      : {
          model: {
            ...model,
            messages: model.messages.map((message) => ({ ...message, content: fill(message.content) })),
          },
        }),
    ...(messagePlan === undefined
      ? {}
      : {
          messagePlan: Object.fromEntries(
            Object.entries(messagePlan).map(([name, value]) => [
              name,
              Array.isArray(value) ? value.map(fill) : fill(value),
            ]),
          ),
        }),
  };
}
