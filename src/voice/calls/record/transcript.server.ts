import type { SpokenTurn } from '../../engines/engines.server.ts';

/** One message of a call as its record shows it (docs/contracts/voice.md §3). */
export interface CallMessage {
  readonly role: 'bot' | 'user' | 'system' | 'tool_calls' | 'tool_call_result';
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly endTime: number;
  readonly secondsFromStart: number;
  /** What a message with the role `system` is, where it is not an instruction by the assistant's author. */
  readonly kind?: 'colleague' | 'notice' | 'whisper';
  readonly [member: string]: unknown;
}

/** How a dialogue reads what neither the assistant nor the caller said. */
const TOLD: Readonly<Record<NonNullable<CallMessage['kind']>, string>> = {
  colleague: 'A colleague said to the caller: ',
  notice: '',
  whisper: 'A colleague instructs you, and the caller has not heard it: ',
};
const SPEAKERS = { colleague: 'Colleague' };

/** The names of the two sides in a transcript. */
interface SpeakerNames {
  readonly assistantName?: string | undefined;
  readonly userName?: string | undefined;
}

/** What was said in a call, by whom and when; words of the assistant only as far as they were heard. */
export class Transcript {
  readonly #startedAt: number;
  readonly #messages: CallMessage[] = [];
  /** The words that were heard of messages that show more. */
  readonly #heard = new WeakMap<CallMessage, string>();
  /** Whether the last words were the assistant's and were interrupted: the next ones are another message. */
  #isCut = false;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  messages(): readonly CallMessage[] {
    return this.#messages;
  }

  /** The messages as others see them: without what only the assistant was told, and with results as texts. */
  shown(): readonly CallMessage[] {
    return this.#messages.filter(isShown).map(withTextResult);
  }

  /**
   * Adds what one side said. Further words of the assistant in the same turn are appended to its message.
   * Ignores an empty text.
   *
   * @returns the new message; undefined where there is none
   */
  add(role: SpokenTurn['role'], text: string, time: number, more: object = {}): CallMessage | undefined {
    const said = text.trim();
    if (said === '') return undefined;
    const last = this.#messages.at(-1);
    if (role === 'assistant' && last?.role === 'bot' && !this.#isCut) {
      this.#messages[this.#messages.length - 1] = {
        ...last,
        message: `${last.message} ${said}`,
        endTime: Math.round(time),
      };
      return undefined;
    }
    return this.#push(role === 'assistant' ? 'bot' : role, said, time, more);
  }

  /**
   * Adds the assistant's words up to where they were interrupted, and of those the ones that were heard.
   *
   * @param by the words of the caller that interrupted them, which come after them
   */
  addCut(
    { text, heard }: { readonly text: string; readonly heard: string },
    time: number,
    by: CallMessage | undefined,
  ): void {
    const interrupting = by !== undefined && this.#messages.at(-1) === by ? this.#messages.pop() : undefined;
    this.add('assistant', text, time);
    const cut = this.#messages.at(-1);
    if (cut !== undefined && text !== heard)
      this.#heard.set(cut, `${cut.message.slice(0, -text.trim().length)}${heard}`.trim());
    this.#isCut = interrupting === undefined;
    if (interrupting !== undefined) this.#messages.push(interrupting);
  }

  /** The history as a dialogue reads it: of a sentence that was interrupted only what was heard. */
  heard(): SpokenTurn[] {
    return this.history(
      this.#messages.map((said) => ({ ...said, message: this.#heard.get(said) ?? said.message })),
    );
  }

  /** Adds a tool call or its result; for the record, not for the conversation. */
  addTool(role: 'tool_calls' | 'tool_call_result', name: string, time: number, more: object): void {
    this.#push(role, name, time, more);
  }

  /** What was said, in the form that a dialogue reads; of all messages, or of others such as `shown()`. */
  history(messages = this.messages()): SpokenTurn[] {
    return messages.flatMap(({ role, message, kind }): SpokenTurn[] => {
      if (role === 'bot') return [{ role: 'assistant', text: message }];
      const told = kind === undefined ? '' : TOLD[kind];
      return role === 'user' || role === 'system' ? [{ role, text: `${told}${message}` }] : [];
    });
  }

  /** The transcript as one text, a line for each turn, with the names of the assistant's `transcriptPlan`. */
  text({ assistantName = 'AI', userName = 'User' }: SpeakerNames = {}): string {
    const speakers: Readonly<Record<string, string>> = { ...SPEAKERS, bot: assistantName, user: userName };
    return this.#messages
      .map(({ role, kind, message }) => [speakers[kind ?? role], message])
      .map(([speaker, message]) => (speaker === undefined ? '' : `${speaker}: ${message}\n`))
      .join('');
  }

  #push(role: CallMessage['role'], message: string, time: number, more: object): CallMessage {
    const secondsFromStart = Math.max(0, Math.round((time - this.#startedAt) / 100) / 10);
    // Clients in typed languages expect whole milliseconds.
    const at = Math.round(time);
    const added = { role, message, time: at, endTime: at, secondsFromStart, ...more };
    this.#messages.push(added);
    this.#isCut = false;
    return added;
  }
}

/** Whether a message may be shown to the caller: not if only the assistant was told it. */
export const isShown = ({ kind }: { readonly kind?: unknown }): boolean => kind !== 'whisper';

/**
 * A tool's result as a text, as the published API's records have it (the server SDK:
 * `ToolCallResultMessage`).
 */
export const resultText = (result: unknown): string =>
  typeof result === 'string' ? result : (JSON.stringify(result) ?? '');

/** A message with a tool's result as a text. */
export const withTextResult = (message: CallMessage): CallMessage =>
  message.role === 'tool_call_result' ? { ...message, result: resultText(message.result) } : message;

/** Turns in the form of OpenAI's API. */
export const openAiMessages = (
  turns: readonly SpokenTurn[],
): { role: SpokenTurn['role']; content: string }[] =>
  turns.map(({ role, text }) => ({ role, content: text }));
