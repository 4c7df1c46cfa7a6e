import type { SpokenTurn } from '../../engines/engines.server.ts';

/** One message of a call as its record shows it (docs/contracts/voice.md §3). */
export interface CallMessage {
  readonly role: 'bot' | 'user' | 'system' | 'tool_calls' | 'tool_call_result';
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly endTime: number;
  readonly secondsFromStart: number;
  /** What a message of the role `system` is, where it is no instruction of the assistant's own makers. */
  readonly kind?: 'colleague' | 'notice' | 'whisper';
  readonly [member: string]: unknown;
}

/** How a dialogue reads what no assistant and no caller has said. */
const TOLD: Readonly<Record<NonNullable<CallMessage['kind']>, string>> = {
  colleague: 'A colleague said to the caller: ',
  notice: '',
  whisper: 'A colleague instructs you, and the caller has not heard it: ',
};
const SPEAKERS = { colleague: 'Colleague' };

/** How the two sides are called in a transcript. */
interface SpeakerNames {
  readonly assistantName?: string | undefined;
  readonly userName?: string | undefined;
}

/** What was said in a call, by whom and when: of the assistant only what was heard. */
export class Transcript {
  readonly #startedAt: number;
  readonly #messages: CallMessage[] = [];

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  messages(): readonly CallMessage[] {
    return this.#messages;
  }

  /** The same as it is told to others: without what only the assistant was told, results as texts. */
  shown(): readonly CallMessage[] {
    return this.#messages.filter(isShown).map(withTextResult);
  }

  /** Adds what one side said; what the assistant says on in the same turn joins it. Nothing for an empty text. */
  add(role: SpokenTurn['role'], text: string, time: number, more: object = {}): void {
    const said = text.trim();
    if (said === '') return;
    const last = this.#messages.at(-1);
    if (role === 'assistant' && last?.role === 'bot') {
      this.#messages[this.#messages.length - 1] = {
        ...last,
        message: `${last.message} ${said}`,
        endTime: Math.round(time),
      };
      return;
    }
    this.#push(role === 'assistant' ? 'bot' : role, said, time, more);
  }

  /** A tool that was called, or what it came to; for the record, not for the conversation. */
  addTool(role: 'tool_calls' | 'tool_call_result', name: string, time: number, more: object): void {
    this.#push(role, name, time, more);
  }

  /** What was said as a dialogue reads it, with all that the assistant was told, or only with what is `shown`. */
  history(messages = this.messages()): SpokenTurn[] {
    return messages.flatMap(({ role, message, kind }): SpokenTurn[] => {
      if (role === 'bot') return [{ role: 'assistant', text: message }];
      const told = kind === undefined ? '' : TOLD[kind];
      return role === 'user' || role === 'system' ? [{ role, text: `${told}${message}` }] : [];
    });
  }

  /** As one text, a line for each turn, under the names that the assistant's `transcriptPlan` gives. */
  text({ assistantName = 'AI', userName = 'User' }: SpeakerNames = {}): string {
    const speakers: Readonly<Record<string, string>> = { ...SPEAKERS, bot: assistantName, user: userName };
    return this.#messages
      .map(({ role, kind, message }) => [speakers[kind ?? role], message])
      .map(([speaker, message]) => (speaker === undefined ? '' : `${speaker}: ${message}\n`))
      .join('');
  }

  #push(role: CallMessage['role'], message: string, time: number, more: object): void {
    const secondsFromStart = Math.max(0, Math.round((time - this.#startedAt) / 100) / 10);
    // Clients in typed languages read whole milliseconds.
    const at = Math.round(time);
    this.#messages.push({ role, message, time: at, endTime: at, secondsFromStart, ...more });
  }
}

/** Whether a message may be shown to the caller: not what only the assistant was told. */
export const isShown = ({ kind }: { readonly kind?: unknown }): boolean => kind !== 'whisper';

/** A tool's result as the field's records have it, always a text (the server SDK: `ToolCallResultMessage`). */
export const resultText = (result: unknown): string =>
  typeof result === 'string' ? result : (JSON.stringify(result) ?? '');

/** A message of a record, the result of a tool as a text. */
export const withTextResult = (message: CallMessage): CallMessage =>
  message.role === 'tool_call_result' ? { ...message, result: resultText(message.result) } : message;

/** Turns as OpenAI's API writes them. */
export const openAiMessages = (
  turns: readonly SpokenTurn[],
): { role: SpokenTurn['role']; content: string }[] =>
  turns.map(({ role, text }) => ({ role, content: text }));
