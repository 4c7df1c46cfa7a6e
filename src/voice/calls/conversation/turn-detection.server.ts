import { plainWords } from '../../dialogue/spoken/word-normalisation.server.ts';
import { showListening } from './back-channel.server.ts';
import {
  considerInterruption,
  holdAssistant,
  inPassing,
  interruptAssistant,
  interruptible,
} from './barge-in.server.ts';
import { assistantBusy, type Draft, releaseVoice } from './conversation-draft.server.ts';
import type { ConversationEvent, ConversationState } from './conversation-events.server.ts';
import { weigh } from './interruption-words.server.ts';
import { noticeMachine } from './machine-detection.server.ts';
import { replyWhenDue, speak } from './reply-speech.server.ts';
import { expectedWords, pauseAfter } from './turn-ending.server.ts';

type Window = Extract<ConversationEvent, { type: 'window' }>;
type Partial = Extract<ConversationEvent, { type: 'partial' }>;
type Utterance = NonNullable<ConversationState['utterance']>;
type Final = Extract<ConversationEvent, { type: 'final' }>;

/** Probability from which voice begins, and from which it goes on. */
const VOICE = { begins: 0.5, goesOn: 0.35 } as const;
/** Milliseconds of uninterrupted voice that open an utterance. */
const ONSET_MS = 60;
/** Milliseconds of voice after which the client is told that the caller speaks: a click is shorter. */
const ANNOUNCED_MS = 190;
const LONGEST_UTTERANCE_MS = 30_000;
/** Milliseconds of voice that take the turn even without a recognised word. */
const WORDLESS_MS = 1500;
/**
 * A held assistant goes on when no words have come this many ms after the voice (docs/contracts/voice.md §6).
 */
const NO_WORDS_MS = 1000;
/** From this many ms of voice an utterance of which nothing was understood still gets an answer. */
const UNCLEAR_MS = 600;
/** From this many ms of voice a partial text of a single word is believed. */
const FIRST_WORD_MS = 600;
/**
 * Milliseconds of silence after which the utterance may be over: six windows, two thirds of the shortest
 * pause that ends a turn.
 */
const PAUSED_MS = 190;
/**
 * Milliseconds of silence after which a held assistant goes on, where the caller's sound was too short or
 * only an acknowledgement.
 */
const PASSING_MS = 250;
/** How long the text of an utterance is waited for; a text that comes later is not answered. */
const UNHEARD_MS = 5000;
const UNHEARD = 'Sorry, I could not hear that. Could you say it again, please?';

/** One window of the caller's sound. */
export function applyWindow(draft: Draft, window: Window): void {
  const { state } = draft;
  const { utterance } = state;
  if (utterance === undefined) {
    state.onsetMs = window.probability >= VOICE.begins ? state.onsetMs + window.ms : 0;
    if (state.onsetMs >= ONSET_MS) openUtterance(draft);
  } else if (window.probability >= VOICE.goesOn) applyVoice(draft, utterance, window);
  else applyQuiet(draft, utterance);
}

/** The caller of the open utterance speaks on. */
function applyVoice(draft: Draft, utterance: Utterance, { ms, probability }: Window): void {
  const { state, effects } = draft;
  state.lastVoiceAt = state.now;
  const voicedMs = utterance.voicedMs + ms;
  const announced = utterance.announced || voicedMs >= ANNOUNCED_MS;
  if (announced && !utterance.announced)
    effects.push({ type: 'speech-update', role: 'user', status: 'started' });
  if (utterance.paused) effects.push({ type: 'resume-utterance', utterance: utterance.id });
  const resumedMs = utterance.paused ? 0 : utterance.resumedMs;
  state.utterance = {
    ...utterance,
    voicedMs,
    announced,
    lastVoiceAt: state.now,
    paused: false,
    resumedMs: resumedMs === undefined ? undefined : resumedMs + ms,
  };
  holdAssistant(draft, voicedMs, probability);
  showListening(draft);
  if (state.now - utterance.begunAt >= LONGEST_UTTERANCE_MS) closeUtterance(draft);
}

/** The caller of the open utterance is quiet. */
function applyQuiet(draft: Draft, utterance: Utterance): void {
  const { state, effects } = draft;
  const quietMs = state.now - utterance.lastVoiceAt;
  if (quietMs >= PAUSED_MS && !utterance.paused) {
    state.utterance = { ...utterance, paused: true };
    effects.push({ type: 'pause-utterance', utterance: utterance.id });
  }
  if (quietMs >= PASSING_MS && inPassing(draft)) releaseVoice(draft);
  if (quietMs >= pauseAfter(utterance.partial, state.lastSaid, state.rules)) closeUtterance(draft);
}

function openUtterance({ state, effects }: Draft): void {
  const id = state.nextId++;
  const voicedMs = state.onsetMs;
  state.onsetMs = 0;
  state.lastVoiceAt = state.now;
  const partial = '';
  state.utterance = {
    id,
    begunAt: state.now,
    voicedMs,
    lastVoiceAt: state.now,
    partial,
    announced: false,
    paused: false,
  };
  effects.push({ type: 'begin-utterance', utterance: id, expected: expectedWords(state.lastSaid) });
}

function closeUtterance({ state, effects }: Draft): void {
  const { utterance } = state;
  if (utterance === undefined) return;
  state.utterance = undefined;
  state.due = [...state.due, { id: utterance.id, voicedMs: utterance.voicedMs, closedAt: state.now }];
  effects.push({ type: 'end-utterance', utterance: utterance.id });
  if (utterance.announced) effects.push({ type: 'speech-update', role: 'user', status: 'stopped' });
}

/** Takes what is understood so far of the open utterance. */
export function applyPartial(draft: Draft, { utterance: id, text }: Partial): void {
  const { utterance } = draft.state;
  if (utterance === undefined || utterance.id !== id) return;
  draft.state.utterance = { ...utterance, partial: text };
  noticeMachine(draft, text);
  if (draft.state.machineAt !== undefined) return;
  // A first word often turns into another one a moment later; the assistant is held and waits for the next
  // word.
  const doubtful = plainWords(text).length < 2 && utterance.voicedMs < FIRST_WORD_MS;
  if (!doubtful || weigh(text).weight === 'stop') considerInterruption(draft, text, utterance.voicedMs);
}

/** Says that the last words were not heard, unless something else is being said or answered. */
function apologise(draft: Draft): void {
  const { state } = draft;
  const { taken, pending, utterance, due, phase } = state;
  if (phase !== 'talking' || taken || utterance !== undefined || due.length > 0) return;
  if (pending === undefined && !assistantBusy(state)) speak(draft, UNHEARD, true);
  else replyWhenDue(draft);
}

/** Takes the final text of an utterance. */
export function applyFinal(draft: Draft, { utterance: id, text, confidence, lost }: Final): void {
  const { state } = draft;
  const closed = state.due.find((one) => one.id === id);
  if (closed === undefined) return;
  state.due = state.due.filter((one) => one !== closed);
  noticeMachine(draft, text);
  if (state.machineAt !== undefined) return;
  considerInterruption(draft, text, closed.voicedMs);
  if (assistantBusy(state)) {
    // An acknowledgement, a cough or too few words: the assistant keeps the turn.
    if (state.utterance === undefined && state.due.length === 0) releaseVoice(draft);
    return;
  }
  if (lost === true && closed.voicedMs >= ANNOUNCED_MS) {
    apologise(draft);
    return;
  }
  if (text.trim() !== '') addToPending(state, text, confidence, false);
  else if (closed.voicedMs >= UNCLEAR_MS && state.pending === undefined)
    state.pending = { text: '', confidence: 0, typed: false, unclear: true };
  replyWhenDue(draft);
}

/** A typed text is a whole turn. It interrupts the assistant, or waits for the end of what may not be interrupted. */
export function applyTyped(draft: Draft, text: string): void {
  if (text.trim() === '') return;
  const { state } = draft;
  if (assistantBusy(state) && interruptible(state)) interruptAssistant(draft);
  state.lastActivityAt = state.now;
  addToPending(state, text, 1, true);
  replyWhenDue(draft);
}

function addToPending(state: ConversationState, text: string, confidence: number, typed: boolean): void {
  const before = state.pending?.text ?? '';
  state.pending = {
    text: before === '' ? text.trim() : `${before} ${text.trim()}`,
    confidence: Math.min(confidence, before === '' ? 1 : (state.pending?.confidence ?? 1)),
    typed: typed && (before === '' || state.pending?.typed === true),
    unclear: false,
  };
}

/** Decides what the passing of time means for the caller's turn. */
export function watchCaller(draft: Draft): void {
  const { state } = draft;
  const { now, utterance, heldSince } = state;
  // No window came in time, for example because the caller's sound has stopped altogether.
  if (
    utterance !== undefined &&
    now - utterance.lastVoiceAt >= pauseAfter(utterance.partial, state.lastSaid, state.rules) + NO_WORDS_MS
  )
    closeUtterance(draft);
  const heard = state.due.filter(({ closedAt }) => now - closedAt < UNHEARD_MS);
  if (heard.length < state.due.length) {
    state.due = heard;
    apologise(draft);
  }
  if (heldSince === undefined) return;
  const speaking = state.utterance !== undefined && now - state.lastVoiceAt < NO_WORDS_MS / 2;
  if (speaking && now - heldSince >= WORDLESS_MS && state.utterance?.partial === '')
    interruptAssistant(draft);
  else if (!speaking && now - Math.max(heldSince, state.lastVoiceAt) >= NO_WORDS_MS) releaseVoice(draft);
}
