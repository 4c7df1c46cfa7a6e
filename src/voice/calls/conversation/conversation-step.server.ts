import { type Draft, endConversation } from './conversation-draft.server.ts';
import type {
  ConversationEffect,
  ConversationEvent,
  ConversationState,
} from './conversation-events.server.ts';
import { applyTime } from './conversation-limits.server.ts';
import type { ConversationRules } from './conversation-rules.server.ts';
import { awaitRecording, greetRecorded, startTalking } from './first-message.server.ts';
import { applyBeep } from './machine-detection.server.ts';
import {
  finishSpeech,
  giveBack,
  greetCaller,
  muteAssistant,
  say,
  startSpeech,
  takeOver,
  takeSentence,
} from './reply-speech.server.ts';
import { applyFinal, applyPartial, applyTyped, applyWindow } from './turn-detection.server.ts';

/** The state of a conversation before anybody has joined. */
export function beginConversation(rules: ConversationRules, now: number): ConversationState {
  return {
    rules,
    phase: 'ringing',
    now,
    createdAt: now,
    joinedAt: now,
    lastActivityAt: now,
    quietSince: now,
    idling: false,
    promptsSaid: rules.silencePrompts.map(() => 0),
    closingSince: now,
    firstMessageSaid: false,
    firstMessageAt: undefined,
    onsetMs: 0,
    utterance: undefined,
    due: [],
    pending: undefined,
    lastVoiceAt: now,
    reply: undefined,
    speech: [],
    lastSaid: '',
    audible: false,
    heldSince: undefined,
    interruptedAt: Number.NEGATIVE_INFINITY,
    listenedAt: Number.NEGATIVE_INFINITY,
    muted: false,
    taken: false,
    machineAt: undefined,
    endReason: undefined,
    nextId: 1,
  };
}

/**
 * One step of a conversation. It uses no input or output, no clock and no random numbers. `now` is
 * milliseconds and never goes back. After the effect `end` no event has an effect.
 */
export function stepConversation(
  before: ConversationState,
  event: ConversationEvent,
  now: number,
): { readonly state: ConversationState; readonly effects: readonly ConversationEffect[] } {
  if (before.phase === 'ended') return { state: before, effects: [] };
  const draft: Draft = { state: { ...before, now: Math.max(now, before.now) }, effects: [] };
  apply(draft, event);
  return draft;
}

type Handlers = {
  readonly [Type in ConversationEvent['type']]?: (
    draft: Draft,
    event: Extract<ConversationEvent, { type: Type }>,
  ) => void;
};

/** Events that count in every phase before the end. */
const ALWAYS: Handlers = {
  over: (draft, { reason }) => endConversation(draft, reason),
  joined: ({ state }) => {
    if (state.phase !== 'ringing') return;
    state.phase = 'joined';
    state.joinedAt = state.now;
  },
  playable: (draft) => {
    if (draft.state.phase === 'joined') startTalking(draft);
  },
  sentence: takeSentence,
  'reply-ended': takeSentence,
  audible: (draft, { speech }) => startSpeech(draft, speech),
  played: (draft, { speech }) => finishSpeech(draft, speech),
  tick: applyTime,
};
/** Events that count while turns are taken. */
const TALKING: Handlers = {
  'say-first-message': (draft, { recorded }) => {
    if (recorded === true) greetRecorded(draft);
    else greetCaller(draft, true);
  },
  'recording-answered': awaitRecording,
  window: applyWindow,
  partial: applyPartial,
  final: applyFinal,
  beep: applyBeep,
  typed: (draft, { text }) => applyTyped(draft, text),
  say: (draft, { text, endCallAfterSpoken }) => say(draft, text, endCallAfterSpoken),
  'mute-assistant': (draft) => muteAssistant(draft, true),
  'unmute-assistant': (draft) => muteAssistant(draft, false),
  'take-over': takeOver,
};
/** Events that count while a colleague speaks: the caller is understood, and nothing is answered. */
const TAKEN: Handlers = {
  window: applyWindow,
  partial: applyPartial,
  final: applyFinal,
  typed: (draft, { text }) => applyTyped(draft, text),
  'mute-assistant': (draft) => muteAssistant(draft, true),
  'unmute-assistant': (draft) => muteAssistant(draft, false),
  'colleague-spoke': ({ state }) => {
    state.pending = undefined;
  },
  'give-back': (draft, { sentence }) => giveBack(draft, sentence),
};

const WHILE_TALKING: Handlers = { ...ALWAYS, ...TALKING };
const WHILE_TAKEN: Handlers = { ...ALWAYS, ...TAKEN };

function apply(draft: Draft, event: ConversationEvent): void {
  const { phase, taken } = draft.state;
  const handlers = phase !== 'talking' ? ALWAYS : taken ? WHILE_TAKEN : WHILE_TALKING;
  (handlers[event.type] as ((draft: Draft, event: ConversationEvent) => void) | undefined)?.(draft, event);
}
