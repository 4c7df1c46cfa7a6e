import { assistantBusy, type Draft, releaseVoice } from './conversation-draft.server.ts';
import type { ConversationEvent, ConversationState } from './conversation-events.server.ts';
import { interruptAssistant, interruptible, replyWhenDue } from './speak-reply.server.ts';
import { endpointDelayMs, plainWords, weigh } from './turn-rules.server.ts';

type Window = Extract<ConversationEvent, { type: 'window' }>;
type Partial = Extract<ConversationEvent, { type: 'partial' }>;
type Final = Extract<ConversationEvent, { type: 'final' }>;

/** Probabilities above which voice begins, and goes on. */
const VOICE = { begins: 0.5, goesOn: 0.35 } as const;
/** Voice in a row that opens an utterance. */
const ONSET_MS = 60;
/** Voice from which the client is told that the caller speaks: a click is shorter. */
const TOLD_MS = 190;
const LONGEST_UTTERANCE_MS = 30_000;
/** Voice without any recognised word that takes the turn all the same. */
const WORDLESS_MS = 1500;
/** A held assistant goes on when no words have come so long after the voice (contract voice §6). */
const NO_WORDS_MS = 1000;
/** Voice that was not understood at all and still deserves an answer. */
const UNCLEAR_MS = 600;
/**
 * Between the hold and the silence at the caller's ear: a packet, the jitter buffer, what is being
 * played. Voice that is certain holds the assistant by so much sooner.
 */
const UNTIL_HEARD_MS = 110;
/** Probability from which voice is certain. */
const CERTAIN = 0.8;
/** Voice from which a single word of a partial text is believed. */
const FIRST_WORD_MS = 600;
/** Silence after which a held assistant goes on where what came was too short, or only agreed. */
const PASSING_MS = 250;

/** One window of the caller's sound. */
export function hearWindow(draft: Draft, { ms, probability }: Window): void {
  const { state, effects } = draft;
  const { utterance } = state;
  if (utterance === undefined) {
    state.onsetMs = probability >= VOICE.begins ? state.onsetMs + ms : 0;
    if (state.onsetMs >= ONSET_MS) openUtterance(draft);
    return;
  }
  if (probability >= VOICE.goesOn) {
    state.lastVoiceAt = state.now;
    const voicedMs = utterance.voicedMs + ms;
    const told = utterance.told || voicedMs >= TOLD_MS;
    if (told && !utterance.told) effects.push({ type: 'speech-update', role: 'user', status: 'started' });
    state.utterance = { ...utterance, voicedMs, told, lastVoiceAt: state.now };
    holdAssistant(draft, voicedMs, probability);
    if (state.now - utterance.begunAt >= LONGEST_UTTERANCE_MS) closeUtterance(draft);
    return;
  }
  const quietMs = state.now - utterance.lastVoiceAt;
  if (quietMs >= PASSING_MS && inPassing(draft)) releaseVoice(draft);
  if (quietMs >= endpointDelayMs(utterance.partial, state.rules.pauses)) closeUtterance(draft);
}

/** Whether what the assistant was held for is a noise or an acknowledgement, as far as can be told. */
function inPassing({ state }: Draft): boolean {
  const { utterance, heldSince } = state;
  if (utterance === undefined || heldSince === undefined) return false;
  const { weight } = weigh(utterance.partial, state.rules.phrases);
  return (
    weight === 'acknowledgement' ||
    (weight === 'nothing' && utterance.voicedMs < state.rules.interruptAfterMs)
  );
}

function openUtterance({ state, effects }: Draft): void {
  const id = state.nextId++;
  const voicedMs = state.onsetMs;
  state.onsetMs = 0;
  state.lastVoiceAt = state.now;
  const partial = '';
  state.utterance = { id, begunAt: state.now, voicedMs, lastVoiceAt: state.now, partial, told: false };
  effects.push({ type: 'begin-utterance', utterance: id });
}

function closeUtterance({ state, effects }: Draft): void {
  const { utterance } = state;
  if (utterance === undefined) return;
  state.utterance = undefined;
  state.due = [...state.due, { id: utterance.id, voicedMs: utterance.voicedMs, closedAt: state.now }];
  effects.push({ type: 'end-utterance', utterance: utterance.id });
  if (utterance.told) effects.push({ type: 'speech-update', role: 'user', status: 'stopped' });
}

/** Real voice over the assistant's: silence now, and words will tell whose turn it is. */
function holdAssistant(draft: Draft, voicedMs: number, probability: number): void {
  const { state, effects } = draft;
  if (!assistantBusy(state) || state.heldSince !== undefined || !interruptible(state)) return;
  const sooner = state.audible && probability >= CERTAIN ? UNTIL_HEARD_MS : 0;
  if (state.rules.interruptWords > 0 || voicedMs < state.rules.interruptAfterMs - sooner) return;
  state.heldSince = state.now;
  effects.push({ type: 'hold' });
}

/** What is understood so far of the open utterance. */
export function hearPartial(draft: Draft, { utterance: id, text }: Partial): void {
  const { utterance } = draft.state;
  if (utterance === undefined || utterance.id !== id) return;
  draft.state.utterance = { ...utterance, partial: text };
  // A first word is often another one a moment later; the assistant is held and waits for the next.
  const doubtful = plainWords(text).length < 2 && utterance.voicedMs < FIRST_WORD_MS;
  if (!doubtful || weigh(text).weight === 'stop') considerInterruption(draft, text, utterance.voicedMs);
}

function considerInterruption(draft: Draft, text: string, voicedMs: number): void {
  const { state } = draft;
  if (!assistantBusy(state) || !interruptible(state)) return;
  const { weight, words } = weigh(text, state.rules.phrases);
  const { interruptWords, interruptAfterMs } = state.rules;
  const enough = interruptWords > 0 ? words >= interruptWords : voicedMs >= interruptAfterMs;
  if (weight === 'stop' || (weight === 'words' && enough)) interruptAssistant(draft);
}

/** All that was understood of an utterance. */
export function hearFinal(draft: Draft, { utterance: id, text, confidence }: Final): void {
  const { state } = draft;
  const closed = state.due.find((one) => one.id === id);
  if (closed === undefined) return;
  state.due = state.due.filter((one) => one !== closed);
  considerInterruption(draft, text, closed.voicedMs);
  if (assistantBusy(state)) {
    // An acknowledgement, a cough or a word too few: the assistant keeps the turn.
    if (state.utterance === undefined && state.due.length === 0) releaseVoice(draft);
    return;
  }
  if (text.trim() !== '') addHeard(state, text, confidence, false);
  else if (closed.voicedMs >= UNCLEAR_MS && state.heard === undefined)
    state.heard = { text: '', confidence: 0, typed: false, unclear: true };
  replyWhenDue(draft);
}

/** A typed text is a whole turn. */
export function hearTyped(draft: Draft, text: string): void {
  if (text.trim() === '') return;
  const { state } = draft;
  if (assistantBusy(state)) {
    if (!interruptible(state)) return;
    interruptAssistant(draft);
  }
  state.lastActivityAt = state.now;
  addHeard(state, text, 1, true);
  replyWhenDue(draft);
}

function addHeard(state: ConversationState, text: string, confidence: number, typed: boolean): void {
  const before = state.heard?.text ?? '';
  state.heard = {
    text: before === '' ? text.trim() : `${before} ${text.trim()}`,
    confidence: Math.min(confidence, before === '' ? 1 : (state.heard?.confidence ?? 1)),
    typed: typed && (before === '' || state.heard?.typed === true),
    unclear: false,
  };
}

/** What the passing of time decides about a caller's turn. */
export function watchCaller(draft: Draft): void {
  const { state } = draft;
  const { now, utterance, heldSince } = state;
  // No window came in time, e.g. the caller's sound has stopped altogether.
  if (
    utterance !== undefined &&
    now - utterance.lastVoiceAt >= endpointDelayMs(utterance.partial, state.rules.pauses) + NO_WORDS_MS
  )
    closeUtterance(draft);
  if (heldSince === undefined) return;
  const speaking = state.utterance !== undefined && now - state.lastVoiceAt < NO_WORDS_MS / 2;
  if (speaking && now - heldSince >= WORDLESS_MS && state.utterance?.partial === '')
    interruptAssistant(draft);
  else if (!speaking && now - Math.max(heldSince, state.lastVoiceAt) >= NO_WORDS_MS) releaseVoice(draft);
}
