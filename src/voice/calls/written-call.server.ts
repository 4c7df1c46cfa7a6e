import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { CallAssistant, TtsStream, VoiceEngines } from '../engines/engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';

/** The connection of a visitor who writes: texts in both directions, and no sound. */
export interface WrittenLine {
  /** Sends a text; false where the connection is closed. */
  send(text: string): boolean;
  /** Texts of the visitor's page, of at most 4096 characters. */
  onText(listener: (text: string) => void): void;
  /** Called once the connection is over, for any reason. */
  onClose(listener: () => void): void;
  close(): void;
}

const NO_SOUND = {
  packetsReceived: 0,
  packetsLost: 0,
  packetsRejected: 0,
  packetsSent: 0,
  framesLate: 0,
} as const;

/** The media of a written call: the app messages of a call with sound, over a line that has none. */
export class WrittenSession implements MediaSession {
  readonly written = true;
  readonly #line: WrittenLine;
  #onState: Parameters<MediaSession['onState']>[0] = () => {};
  #onText: (text: string) => void = () => {};
  #closed = false;

  constructor(line: WrittenLine) {
    this.#line = line;
    line.onText((text) => this.#onText(text));
    line.onClose(() => {
      this.#closed = true;
      this.#onState('closed');
    });
  }

  /** Begins the conversation, unless the visitor has left meanwhile; their page shows texts as soon as it is connected. */
  begin(): void {
    this.#onState(this.#closed ? 'closed' : 'connected');
    this.#onText('playable');
  }

  async answer(): Promise<string> {
    throw new ServiceError(409, 'already_joined', 'This call is written: it takes no offer.');
  }
  onAppMessage(listener: (text: string) => void): void {
    this.#onText = listener;
  }
  sendAppMessage(text: string): boolean {
    return this.#line.send(text);
  }
  sendFault(): boolean {
    return false;
  }
  onState(listener: Parameters<MediaSession['onState']>[0]): void {
    this.#onState = listener;
  }
  async close(): Promise<void> {
    this.#line.close();
  }
  onPcm16k(): void {}
  onSent(): void {}
  writePcm(): void {}
  hold(): void {}
  playUnder(): void {}
  queuedMs(): number {
    return 0;
  }
  flush(): number {
    return 0;
  }
  stats(): typeof NO_SOUND {
    return NO_SOUND;
  }
}

const SILENT: TtsStream = { name: 'none', async *speak() {}, close() {} };

/** Engines for a call without sound: a sentence is said once it is sent. */
export const withoutSound = (engines: VoiceEngines): VoiceEngines => ({
  ...engines,
  recognition: 'typed-only',
  openVoice: async () => SILENT,
  ...(engines.warm === undefined
    ? {}
    : { warm: (assistant) => engines.warm?.(assistant, 'silent') ?? Promise.resolve() }),
});

/** Longest written call, and longest pause in one, seconds: people write in between other things. */
const LONGEST = 3600;
const LONGEST_PAUSE = 600;

/** An assistant as it answers in writing: it waits longer, never asks whether anybody is there, and records nothing. */
export function asWritten({ messagePlan: _idle, hooks: _hooks, ...assistant }: CallAssistant): CallAssistant {
  return {
    ...assistant,
    recordingEnabled: false,
    silenceTimeoutSeconds: LONGEST_PAUSE,
    maxDurationSeconds: LONGEST,
    backgroundSound: 'off',
  };
}
