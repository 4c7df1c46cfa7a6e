import { z } from 'zod';
import type { CallAssistant, ServerMessage } from '../engines/engines.server.ts';

const spoken = z.string().min(1).max(2000);

/** What a client may send, apart from the two bare words of the wire (docs/contracts/voice.md §3). */
export const clientMessageSchema = z.discriminatedUnion(
  'type',
  [
    // The published client calls the text `message`, the API's description calls it `content`.
    z
      .object({
        type: z.literal('say'),
        message: spoken.optional(),
        content: spoken.optional(),
        endCallAfterSpoken: z.boolean().nullish(),
      })
      .refine(({ message, content }) => message !== undefined || content !== undefined, {
        path: ['content'],
        error: 'is needed: what is to be said',
      }),
    z.object({
      type: z.literal('control'),
      control: z.enum(['mute-assistant', 'unmute-assistant', 'say-first-message']),
      videoRecordingStartDelaySeconds: z.number().optional(),
    }),
    z.object({
      type: z.literal('add-message'),
      message: z.object({
        role: z.enum(['user', 'assistant', 'system']),
        content: z.string().min(1).max(4000),
      }),
      triggerResponseEnabled: z.boolean().optional(),
    }),
    z.object({ type: z.literal('end-call') }),
  ],
  { error: 'must be one of say, add-message, control and end-call' },
);

/** A message of a client, or the bare word by which it says that it plays sound. */
export type ClientMessage = z.output<typeof clientMessageSchema> | { readonly type: 'playable' };

const MAX_MESSAGE = 4096;

/**
 * Parses what a client sent; undefined where it is not a valid message (docs/security-attacks.md, attack 42).
 */
export function parseClientMessage(text: string): ClientMessage | undefined {
  if (text === 'playable' || text === '"playable"') return { type: 'playable' };
  if (text.length > MAX_MESSAGE) return undefined;
  try {
    const given: unknown = JSON.parse(text);
    // The call library turns a text that is JSON already into JSON once more.
    const outcome = clientMessageSchema.safeParse(typeof given === 'string' ? JSON.parse(given) : given);
    return outcome.success ? outcome.data : undefined;
  } catch {
    return undefined;
  }
}

/** The messages that are sent where the assistant does not list any (docs/contracts/voice.md §3). */
const USUAL = [
  'assistant.started',
  'conversation-update',
  'function-call',
  'hang',
  'model-output',
  'speech-update',
  'status-update',
  'transfer-update',
  'transcript',
  'tool-calls',
  'tool-calls-result',
  'user-interrupted',
  'voice-input',
];

/** Whether the assistant's client wants messages of that type. */
export function wantedMessages(assistant: CallAssistant): (type: string) => boolean {
  const wanted = new Set<string>(assistant.clientMessages ?? USUAL);
  return (type) => wanted.has(type);
}

/** Members that hold the conversation so far, oldest first. */
const CONVERSATIONS = ['messages', 'conversation', 'messagesOpenAIFormatted'];
const isList = (member: unknown[]): member is [string, unknown[]] => Array.isArray(member[1]);

/** A message as text within the wire's limit; where a conversation is too long, its latest part that fits. */
export function printMessage(message: ServerMessage): string {
  let text = JSON.stringify(message);
  let lists = CONVERSATIONS.map((name) => [name, message[name]]).filter(isList);
  while (text.length > MAX_MESSAGE && lists.some(([, list]) => list.length > 0)) {
    lists = lists.map(([name, list]) => [name, list.slice(1)]);
    text = JSON.stringify({ ...message, ...Object.fromEntries(lists) });
  }
  return text.length > MAX_MESSAGE ? JSON.stringify({ type: message.type }) : text;
}
