import type { z } from 'zod';
import type { EventServer } from '../records/event-server.server.ts';
import type { assistantOverridesSchema } from '../records/voice-assistant.contract.ts';
import type { CallMeter } from './call-meter.server.ts';

/**
 * What a call needs besides its transport: voice activity, recognition, dialogue and speech. All sound
 * between the parts is mono, 16-bit, 16 000 samples a second (docs/contracts/voice.md §5).
 */
export interface VoiceEngines {
  /** Whether speech can be recognised at all; without it callers type (docs/contracts/voice.md §9, risk 2). */
  readonly recognition: 'speech' | 'typed-only';
  /** What the providers charge, US dollars; embedded engines cost nothing. */
  readonly prices?: EnginePrices;
  /**
   * Loads what a call of this assistant needs, while the caller is still joining.
   *
   * @param sound `silent` where the call has no sound, so that only its dialogue is loaded
   */
  warm?(assistant: CallAssistant, sound?: 'silent'): Promise<void>;
  /** A detector for one call. */
  openDetector(): Promise<VoiceActivityDetector>;
  /** A recogniser for one call. @throws Error when `recognition` is `typed-only` or a provider refuses */
  openRecogniser(call: CallContext): Promise<SttStream>;
  /** A voice for one call. */
  openVoice(call: CallContext): Promise<TtsStream>;
  /** The name of the embedded voice that an assistant asks for; undefined where it asks for none of them. */
  ownVoice?(assistant: CallAssistant): string | undefined;
  /** The dialogue of one call: it decides what the assistant says. */
  openDialogue(call: CallContext): Promise<DialogueManager>;
  /** Whether one of a call's engines has a price; undefined where none has. */
  charges?(call: CallContext, engine: 'transcriber' | 'model' | 'voice'): Promise<boolean>;
  /**
   * Whether a provider, priced or not, does the work of one of a call's engines; undefined where none does.
   */
  provided?(call: CallContext, engine: 'transcriber' | 'model' | 'voice'): Promise<boolean>;
  /** Ends the workers; no call is running any more. */
  close(): Promise<void>;
}

/** US dollars for what one call uses. */
export interface EnginePrices {
  readonly sttPerMinute: number;
  readonly ttsPer1000Characters: number;
  readonly llmPer1000PromptTokens: number;
  readonly llmPer1000CompletionTokens: number;
}

/** The assistant of one call: its record with the call's overrides laid over it. */
export type CallAssistant = z.output<typeof assistantOverridesSchema>;

/** What an engine may know about the call that it works for. */
export interface CallContext {
  readonly callId: string;
  readonly assistant: CallAssistant;
  /** Adds a line to the call's log (`GET /log`). The line holds no secrets. */
  log(level: 'INFO' | 'LOG' | 'WARN' | 'ERROR' | 'CHECKPOINT', line: string): void;
  /**
   * Sends a message to the assistant's server, or to another, and waits for the answer; undefined where there
   * is no call that the server could be asked about.
   *
   * @param message its `type` is one of the platform's server messages
   * @param server in place of the assistant's, e.g. a tool's own
   * @returns the parsed body of a 2xx
   * @throws Error with a sentence for the call's log; it names no secret
   */
  queryServer?(message: ServerMessage, server?: EventServer): Promise<unknown>;
  /** The other assistants of the call; undefined where there are none. */
  readonly team?: CallTeam;
  /** The telephone of the call; undefined in a browser. */
  readonly line?: PhoneControls;
  /** Counts what the call's providers charge. */
  readonly meter?: CallMeter;
  /**
   * Set in a meeting, where only the people's words are wanted: no realtime session, which would also answer,
   * is opened.
   */
  readonly listensOnly?: boolean;
  /**
   * Set when the conversation is a rehearsal: nothing is stored, booked or sent, and no server is asked.
   * Undefined for a call.
   */
  readonly rehearsal?: Rehearsal;
}

/** What the engines get for a rehearsal, which is a conversation without a call. */
export interface Rehearsal {
  /** The prepared answer to the next tool call; undefined where nothing was prepared. */
  answer(): string | undefined;
}

/** What a dialogue may do with a telephone call. */
export interface PhoneControls {
  /** Presses keys: 0-9, A-D, * and #, `w` for a pause. @throws ServiceError 400 `bad_tones` */
  sendTones(digits: string): Promise<void>;
  /**
   * Calls somebody and puts the caller through; the assistant's part of the call ends with that.
   *
   * @param summary what was said so far, for a transfer that passes it on
   * @throws Error with a sentence for the dialogue where nobody can be reached: the call then goes on
   */
  transfer(destination: TransferDestination, summary: string): Promise<void>;
}

/** Somebody outside the call whom the caller can be put through to (docs/contracts/voice.md §3). */
export interface TransferDestination {
  readonly type: 'number' | 'sip';
  readonly number?: string | undefined;
  readonly sipUri?: string | undefined;
  readonly extension?: string | undefined;
  readonly description?: string | undefined;
  /** Said to the caller first. */
  readonly message?: string | undefined;
  readonly transferPlan?:
    | { readonly mode?: string; readonly message?: unknown; readonly sipVerb?: unknown }
    | undefined;
}

/** A message to the client or the server of an assistant; `type` says which. */
export interface ServerMessage {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** Somebody that an assistant may hand its call to. */
export interface Destination {
  /** The other assistant's name. */
  readonly name: string;
  readonly description: string;
  /** Said before the other assistant takes over; empty for nothing. */
  readonly message: string;
}

/** One assistant of a call, and whom it may hand the call to. */
export interface TeamMember {
  readonly assistant: CallAssistant;
  readonly destinations: readonly Destination[];
}

/** Whom an assistant may hand its call to. */
interface CallTeam {
  readonly destinations: readonly Destination[];
  /** Hands the call over once the present turn has been answered. False for an unknown name. */
  handOff(name: string): boolean;
}

/** Tells speech from everything else. There is one for each call, since it keeps state between windows. */
export interface VoiceActivityDetector {
  /** Samples of one window; 512 for Silero v5. */
  readonly windowSamples: number;
  /** Probability (0 to 1) that each window is speech; the windows continue those of the call before. */
  probabilities(windows: readonly Int16Array[]): Promise<number[]>;
  close(): void;
}

/** What a caller has been asked for: the digits of a number, or the letters of a name or an address. */
export type ExpectedWords = 'digits' | 'letters';

/** What was understood of one utterance. */
export interface Recognised {
  /** Empty when nothing was understood. */
  readonly text: string;
  /** 0 to 1; 1 where the engine has no measure. */
  readonly confidence: number;
  /** The engine failed: what was said is not known. */
  readonly lost?: boolean;
}

/** Recognises one utterance at a time. When a provider fails, the stream itself falls back to another. */
export interface SttStream {
  /** The name for the call's log and cost, e.g. `moonshine`. */
  readonly name: string;
  /**
   * Opens an utterance; sound from some 320 ms before its onset is pushed first.
   *
   * @param expected what the assistant has asked for, so that a recogniser can prefer it
   */
  beginUtterance(expected?: ExpectedWords): void;
  /** Sound of the open utterance, in any length. */
  push(pcm: Int16Array): void;
  /** The caller is quiet: the utterance may be over, and its text will be asked for soon. */
  pauseUtterance?(): void;
  /** The caller goes on speaking: the utterance was not over. */
  resumeUtterance?(): void;
  /** Reports what is understood of the open utterance, each time that changes. */
  onPartial(listener: (partial: Recognised) => void): void;
  /**
   * Closes the utterance. Sound may follow in a new one at once, before this one has resolved.
   * Never rejects: an engine that fails answers with an empty text.
   */
  endUtterance(): Promise<Recognised>;
  close(): void;
}

/** Speaks one sentence at a time. */
export interface TtsStream {
  readonly name: string;
  /** True where its sound has pauses between sentences already; otherwise the caller of `speak` adds one. */
  readonly ownPauses?: boolean;
  /**
   * The sound of a sentence in pieces as they are ready, leading silence trimmed. An aborted signal
   * ends the iteration without an error.
   *
   * @throws Error when nothing can be spoken, not even by a fall-back
   */
  speak(sentence: string, signal: AbortSignal): AsyncIterable<Int16Array>;
  close(): void;
}

/** One thing said in a call. Words of the assistant are here only as far as they were really played. */
export interface SpokenTurn {
  readonly role: 'user' | 'assistant' | 'system';
  readonly text: string;
}

/** What the caller said, and whether it was typed. */
export interface CallerTurn {
  readonly text: string;
  readonly confidence: number;
  /** Typed text is never misheard, so the dialogue need not confirm it. */
  readonly typed: boolean;
}

/** What a dialogue does next, in order. */
export type DialogueStep =
  /**
   * Speak this. Steps hold whole sentences, so that the caller hears the first while the next is being
   * written.
   */
  | { readonly kind: 'sentence'; readonly text: string }
  /** The dialogue calls a tool; sent to the client as `tool-calls`. */
  | {
      readonly kind: 'tool-call';
      readonly id: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    }
  /** Its result; sent as `tool-calls-result`. */
  | { readonly kind: 'tool-result'; readonly id: string; readonly name: string; readonly result: unknown }
  /** Another assistant of the call answers from now on. */
  | { readonly kind: 'transfer'; readonly to: string }
  /**
   * The caller agreed or refused to something; the call's evidence records it. After a refusal of
   * `keep-words` the call's words are deleted when it ends. `greets`: a first message that was held back
   * follows.
   */
  | {
      readonly kind: 'consent';
      readonly to: string;
      readonly given: boolean;
      readonly greets?: boolean | undefined;
    }
  /** Hang up when what was said before has been played. */
  | {
      readonly kind: 'hang-up';
      readonly reason: 'assistant-ended-call' | 'assistant-forwarded-call' | 'assistant-said-end-call-phrase';
    };

/** Decides what is said in one call. */
export interface DialogueManager {
  readonly name: string;
  /** Whether it follows what the `system` turns of a history say; rules do not. */
  readonly followsInstructions?: boolean | undefined;
  /** Whether a form is open, so that the next turn is an answer to it and calls nothing else. */
  awaitsAnswer?(): boolean;
  /** The first words, where the assistant has no `firstMessage` or is to invent it. */
  greet(signal: AbortSignal): AsyncIterable<DialogueStep>;
  /**
   * Answers a turn. `history` is everything before it, as it was really said. An aborted signal (the
   * caller goes on speaking) ends the iteration; tools that were called stay called.
   */
  reply(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): AsyncIterable<DialogueStep>;
  /**
   * Summarises a finished call, where the dialogue can; without it, rules summarise the call from its record.
   * Never rejects.
   */
  analyse?(history: readonly SpokenTurn[]): Promise<CallAnalysis>;
  /** Tokens used so far, for the cost breakdown. */
  usage(): { readonly promptTokens: number; readonly completionTokens: number };
  close(): void;
}

/** The outcome of a call (docs/contracts/voice.md §3: `analysis`). */
export interface CallAnalysis {
  readonly summary: string;
  readonly successEvaluation?: string;
  readonly structuredData?: Readonly<Record<string, unknown>>;
}
