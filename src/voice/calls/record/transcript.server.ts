import type { SpokenTurn } from '../../engines/engines.server.ts';

/** One message of a call as its record shows it (docs/contracts/voice.md §3). */
export interface CallMessage {
  readonly role: 'bot' | 'user' | 'system' | 'tool_calls' | 'tool_call_result';
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly endTime: number;
  readonly secondsFromStart: number;
  readonly [member: string]: unknown;
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

  /** Adds what one side said; what the assistant says on in the same turn joins it. Nothing for an empty text. */
  add(role: SpokenTurn['role'], text: string, time: number, more: object = {}): void {
    const said = text.trim();
    if (said === '') return;
    const last = this.#messages.at(-1);
    if (role === 'assistant' && last?.role === 'bot') {
      this.#messages[this.#messages.length - 1] = {
        ...last,
        message: `${last.message} ${said}`,
        endTime: time,
      };
      return;
    }
    this.#push(role === 'assistant' ? 'bot' : role, said, time, more);
  }

  /** A tool that was called, or what it came to; for the record, not for the conversation. */
  addTool(role: 'tool_calls' | 'tool_call_result', name: string, time: number, more: object): void {
    this.#push(role, name, time, more);
  }

  /** Both sides as a dialogue reads them. */
  history(): SpokenTurn[] {
    return this.#messages.flatMap(({ role, message }): SpokenTurn[] => {
      if (role === 'bot') return [{ role: 'assistant', text: message }];
      return role === 'user' || role === 'system' ? [{ role, text: message }] : [];
    });
  }

  /** As one text, a line for each turn. */
  text(): string {
    return this.#messages
      .filter(({ role }) => role === 'bot' || role === 'user')
      .map(({ role, message }) => `${role === 'bot' ? 'AI' : 'User'}: ${message}\n`)
      .join('');
  }

  #push(role: CallMessage['role'], message: string, time: number, more: object): void {
    const secondsFromStart = Math.max(0, Math.round((time - this.#startedAt) / 100) / 10);
    this.#messages.push({ role, message, time, endTime: time, secondsFromStart, ...more });
  }
}
