import { assistantBusy, type Draft } from './conversation-draft.server.ts';
import type { ConversationEvent } from './conversation-events.server.ts';
import { dropGreeting, greetCaller, speak } from './reply-speech.server.ts';

/**
 * How long the first message waits, after a consent, for the client to report that the recording has begun,
 * ms.
 */
const RECORDING_LIMIT_MS = 3000;

/**
 * Says the first words of a call: the first message, or the question about recording that the first message
 * waits for.
 */
function openTalk(draft: Draft): void {
  const { state } = draft;
  const { opening, firstMessageMode } = state.rules;
  // An assistant that waits for the caller asks the question after its first answer.
  if (opening === '' || firstMessageMode === 'waits') greetCaller(draft, false);
  else {
    state.firstMessageAt = Number.POSITIVE_INFINITY;
    speak(draft, opening, true);
  }
}

/**
 * The caller has answered the question. After a consent the first message waits for the recording to begin.
 */
export function awaitRecording(
  { state }: Draft,
  { given, greets }: Extract<ConversationEvent, { type: 'recording-answered' }>,
): void {
  if (state.firstMessageAt === undefined) return;
  if (greets) state.firstMessageAt = state.now + (given ? RECORDING_LIMIT_MS : 0);
  else dropGreeting(state);
}

/**
 * The caller's client reports that the recording has begun (docs/contracts/voice.md §8). It is ignored before
 * the consent, and comes too late once the assistant has said other things.
 */
export function greetRecorded(draft: Draft): void {
  const { state } = draft;
  if (state.firstMessageAt === undefined) {
    if (state.lastSaid === '') greetCaller(draft, true);
  } else if (Number.isFinite(state.firstMessageAt)) state.firstMessageAt = state.now;
}

/** Says a first message that has waited long enough, when nobody is speaking. */
export function greetWhenDue(draft: Draft): void {
  const { state } = draft;
  if (state.firstMessageAt === undefined || state.now < state.firstMessageAt || state.muted) return;
  if (assistantBusy(state) || state.utterance !== undefined || state.due.length > 0) return;
  if (state.phase === 'talking' && state.pending === undefined) greetCaller(draft, false);
}

/** The caller's client plays sound, so the conversation begins. */
export function startTalking(draft: Draft): void {
  draft.state.phase = 'talking';
  draft.state.lastActivityAt = draft.state.now;
  draft.state.quietSince = draft.state.now;
  draft.effects.push({ type: 'listening' });
  openTalk(draft);
}
