import type { ExpectedWords } from '../../engines/engines.server.ts';
import type { ConversationRules } from './conversation-rules.server.ts';

/** Why a call ended (docs/contracts/voice.md §3: words of the wire). */
export type EndedReason =
  | 'customer-ended-call'
  | 'customer-did-not-answer'
  | 'customer-did-not-give-microphone-permission'
  | 'customer-busy'
  | 'voicemail'
  | 'call.ringing.sip-inbound-caller-hungup-before-call-connect'
  | 'call.ringing.error-sip-inbound-call-failed-to-connect'
  | 'call.in-progress.error-sip-outbound-call-failed-to-connect'
  | 'call.in-progress.error-providerfault-outbound-sip-403-forbidden'
  | 'call.in-progress.error-providerfault-outbound-sip-407-proxy-authentication-required'
  | 'call.in-progress.error-providerfault-outbound-sip-408-request-timeout'
  | 'call.in-progress.error-providerfault-outbound-sip-503-service-unavailable'
  | 'assistant-ended-call'
  | 'assistant-ended-call-after-message-spoken'
  | 'assistant-said-end-call-phrase'
  | 'assistant-forwarded-call'
  | 'silence-timed-out'
  | 'exceeded-max-duration'
  | 'manually-canceled'
  | 'pipeline-error-custom-voice-failed'
  | 'pipeline-error-custom-llm-llm-failed'
  | 'call.in-progress.error-vapifault-worker-died'
  | 'worker-shutdown'
  | 'unknown-error';

/** What happens to a conversation. Each event comes with the time at which it happened. */
export type ConversationEvent =
  /** Sound can flow. */
  | { readonly type: 'joined' }
  /** The caller's client plays the assistant's track (docs/contracts/voice.md §1). */
  | { readonly type: 'playable' }
  /**
   * The client asks for the first message. `recorded`: it asks because the recording has begun, which is
   * after the consent.
   */
  | { readonly type: 'say-first-message'; readonly recorded?: boolean }
  /**
   * The caller has answered the question for consent; `greets`: the first message that waited for it follows.
   */
  | { readonly type: 'recording-answered'; readonly given: boolean; readonly greets: boolean }
  /** One window of the detector: `ms` long, with a probability of speech from 0 to 1. */
  | { readonly type: 'window'; readonly ms: number; readonly probability: number }
  | { readonly type: 'partial'; readonly utterance: number; readonly text: string }
  | {
      readonly type: 'final';
      readonly utterance: number;
      readonly text: string;
      readonly confidence: number;
      /** The recogniser failed: nobody knows what was said. */
      readonly lost?: boolean | undefined;
    }
  | { readonly type: 'typed'; readonly text: string }
  /** A tone of one frequency has ended; `ms` is its length. */
  | { readonly type: 'beep'; readonly ms: number }
  | { readonly type: 'say'; readonly text: string; readonly endCallAfterSpoken: boolean }
  | { readonly type: 'mute-assistant' }
  | { readonly type: 'unmute-assistant' }
  /** A colleague speaks in the assistant's place from now on. */
  | { readonly type: 'take-over' }
  /** The colleague has spoken, which answers what the caller said before. */
  | { readonly type: 'colleague-spoke' }
  /** The assistant goes on, with a sentence that says so. */
  | { readonly type: 'give-back'; readonly sentence: string }
  /** The dialogue has a sentence of its answer to `turn`. */
  | { readonly type: 'sentence'; readonly turn: number; readonly text: string }
  | { readonly type: 'reply-ended'; readonly turn: number; readonly hangUp?: EndedReason | undefined }
  /** A sentence begins or ends to be heard. */
  | { readonly type: 'audible'; readonly speech: number }
  | { readonly type: 'played'; readonly speech: number }
  /** Time has passed; sent several times a second. */
  | { readonly type: 'tick' }
  /** Ends the call at once. */
  | { readonly type: 'over'; readonly reason: EndedReason };

/** What the call has to do. */
export type ConversationEffect =
  | { readonly type: 'listening' }
  /** Sound from now on, and a little before, belongs to this utterance. */
  | {
      readonly type: 'begin-utterance';
      readonly utterance: number;
      readonly expected: ExpectedWords | undefined;
    }
  /** The caller is quiet: the utterance may be over. */
  | { readonly type: 'pause-utterance'; readonly utterance: number }
  | { readonly type: 'resume-utterance'; readonly utterance: number }
  | { readonly type: 'end-utterance'; readonly utterance: number }
  /** A quiet `Mm-hm` while the caller speaks on; it is not a turn. */
  | { readonly type: 'back-channel' }
  | { readonly type: 'greet'; readonly turn: number }
  | {
      readonly type: 'reply';
      readonly turn: number;
      readonly text: string;
      readonly confidence: number;
      readonly typed: boolean;
      /** When the caller's voice last ended, for the latency. */
      readonly voiceEndedAt: number;
    }
  /** Stops the dialogue and everything that it was going to say. */
  | { readonly type: 'cancel-reply' }
  | {
      readonly type: 'speak';
      readonly speech: number;
      readonly text: string;
      /** The sentence must not be heard before this time. */
      readonly notBefore: number;
    }
  /** Silence at once; the rest of the speech is kept. */
  | { readonly type: 'hold' }
  | { readonly type: 'release' }
  /** Silence at once; the rest of the speech is dropped, and only the part that was heard is remembered. */
  | { readonly type: 'interrupt' }
  | {
      readonly type: 'speech-update';
      readonly role: 'user' | 'assistant';
      readonly status: 'started' | 'stopped';
    }
  | { readonly type: 'user-interrupted' }
  /** Ends the call; comes once, as the last effect. */
  | { readonly type: 'end'; readonly reason: EndedReason };

/** A sentence that is being heard or waits to be. */
interface Speech {
  readonly id: number;
  readonly text: string;
  readonly interruptible: boolean;
  readonly thenEnd?: EndedReason | undefined;
}

/** What the caller is saying. */
interface Utterance {
  readonly id: number;
  readonly begunAt: number;
  readonly voicedMs: number;
  readonly lastVoiceAt: number;
  readonly partial: string;
  readonly announced: boolean;
  readonly paused: boolean;
  /**
   * Milliseconds of voice since the last pause; undefined before a pause, and once `Mm-hm` was considered for
   * it.
   */
  readonly resumedMs?: number | undefined;
}

/** A turn that is being answered. */
interface Reply {
  readonly turn: number;
  /**
   * The turn that it answers. If the caller goes on before the answer is heard, both are answered together.
   */
  readonly answered: PendingTurn;
  readonly begunAt: number;
  readonly ended: boolean;
}

/** What was understood and has not been answered yet. */
interface PendingTurn {
  readonly text: string;
  readonly confidence: number;
  readonly typed: boolean;
  /** There was voice, but nothing was understood. */
  readonly unclear: boolean;
}

/**
 * The whole state of a conversation. `beginConversation` makes it, and only `stepConversation` changes it.
 */
export interface ConversationState {
  readonly rules: ConversationRules;
  phase: 'ringing' | 'joined' | 'talking' | 'closing' | 'ended';
  now: number;
  readonly createdAt: number;
  joinedAt: number;
  lastActivityAt: number;
  /** Since when nobody has spoken; idle messages of the assistant count as speaking. */
  quietSince: number;
  /** Whether only idle messages were said since the caller's last turn; they do not count as activity. */
  idling: boolean;
  /** How often each of the rules' silence prompts has been said. */
  promptsSaid: readonly number[];
  closingSince: number;
  firstMessageSaid: boolean;
  /**
   * When a first message that waits for the question about recording is said at the latest; infinite while
   * the question is not answered.
   */
  firstMessageAt: number | undefined;
  /** Milliseconds of uninterrupted voice before an utterance is opened. */
  onsetMs: number;
  utterance: Utterance | undefined;
  /** Closed utterances whose text is still awaited, with the voice that they had. */
  due: readonly { readonly id: number; readonly voicedMs: number; readonly closedAt: number }[];
  /** What was understood and has not been answered yet. */
  pending: PendingTurn | undefined;
  lastVoiceAt: number;
  reply: Reply | undefined;
  speech: readonly Speech[];
  /** The sentence that was said last, or is about to be. */
  lastSaid: string;
  /** Whether anything of `speech` has been heard since the assistant last fell silent. */
  audible: boolean;
  heldSince: number | undefined;
  interruptedAt: number;
  /** When the caller last heard `Mm-hm`. */
  listenedAt: number;
  muted: boolean;
  /** A colleague speaks in the assistant's place. */
  taken: boolean;
  /** When an answering machine was recognised. */
  machineAt: number | undefined;
  endReason: EndedReason | undefined;
  /** The next number for an utterance, turn or sentence. */
  nextId: number;
}
