import {
  assistantBusy,
  beginClosing,
  type Draft,
  endConversation,
  releaseVoice,
} from './conversation-draft.server.ts';
import type { ConversationEvent } from './conversation-events.server.ts';
import { hasEndPhrase } from './interruption-words.server.ts';

/** A dialogue that says nothing for this long has failed, ms. */
const THINKING_LIMIT_MS = 20_000;

/** Says the assistant's first words, once; where it waits for the caller, only when `asked`. */
export function greetCaller(draft: Draft, asked: boolean): void {
  const { state, effects } = draft;
  const { rules } = state;
  if (state.firstMessageSaid || (rules.firstMessageMode === 'waits' && !asked)) return;
  state.firstMessageSaid = true;
  state.firstMessageAt = undefined;
  if (rules.firstMessageMode !== 'generates' && rules.firstMessage !== '') {
    for (const text of [rules.firstMessage, rules.firstQuestion])
      if (text !== '') speak(draft, text, rules.firstMessageInterruptible);
    return;
  }
  const turn = state.nextId++;
  state.reply = { turn, answered: NO_TURN, begunAt: state.now, ended: false };
  effects.push({ type: 'greet', turn });
}
const NO_TURN = { text: '', confidence: 1, typed: true, unclear: false };

/** The first message will not be said any more. */
export function dropGreeting(state: Draft['state']): void {
  state.firstMessageSaid = true;
  state.firstMessageAt = undefined;
}

/** Requests an answer to what was understood, once the caller's turn is over and the assistant may speak. */
export function replyWhenDue({ state, effects }: Draft): void {
  const { pending } = state;
  const listening = state.utterance !== undefined || state.due.length > 0;
  if (pending === undefined || listening || state.muted || state.taken || assistantBusy(state)) return;
  if (state.phase !== 'talking') return;
  const turn = state.nextId++;
  state.pending = undefined;
  // A caller who asks something before the first message gets an answer, and no first message after it.
  if (Number.isFinite(state.firstMessageAt)) dropGreeting(state);
  state.reply = { turn, answered: pending, begunAt: state.now, ended: false };
  const { text, confidence, typed } = pending;
  effects.push({ type: 'reply', turn, text, confidence, typed, voiceEndedAt: state.lastVoiceAt });
}

/** Takes a sentence of an answer, or its end. What belongs to a turn that was given up is dropped. */
export function takeSentence(
  draft: Draft,
  event: Extract<ConversationEvent, { type: 'sentence' | 'reply-ended' }>,
): void {
  const { state } = draft;
  const { reply } = state;
  if (reply === undefined || reply.turn !== event.turn || reply.ended) return;
  if (event.type === 'sentence') {
    if (event.text.trim() === '') return;
    speak(draft, event.text, true);
    if (hasEndPhrase(event.text, state.rules.endCallPhrases))
      beginClosing(draft, 'assistant-said-end-call-phrase');
    return;
  }
  state.reply = { ...reply, ended: true };
  if (event.hangUp !== undefined) {
    beginClosing(draft, event.hangUp);
    if (state.rules.endCallMessage !== '') speak(draft, state.rules.endCallMessage, false);
  }
  if (state.speech.length === 0) fallSilent(draft);
}

/** Says a text that the client asked for, after what is being said (docs/contracts/voice.md §1). */
export function say(draft: Draft, text: string, endCallAfterSpoken: boolean): void {
  const { state } = draft;
  state.idling = false;
  if (endCallAfterSpoken) {
    if (state.reply !== undefined && !state.reply.ended) dropReply(draft);
    beginClosing(draft, 'assistant-ended-call-after-message-spoken');
  }
  if (text.trim() !== '') speak(draft, text, !endCallAfterSpoken);
  else if (endCallAfterSpoken && state.speech.length === 0) fallSilent(draft);
}

/** Says a prompt to a silent caller: one whose time has come, and which was not said often enough yet. */
export function promptSilentCaller(draft: Draft): void {
  const { state } = draft;
  if (state.muted) return;
  const { silencePrompts } = state.rules;
  const silentMs = state.now - state.quietSince;
  const at = silencePrompts.findIndex(
    ({ afterMs, most }, index) => silentMs >= afterMs && (state.promptsSaid[index] ?? 0) < most,
  );
  const prompt = silencePrompts[at];
  if (prompt === undefined) return;
  const said = state.promptsSaid[at] ?? 0;
  state.idling = true;
  state.promptsSaid = state.promptsSaid.with(at, said + 1);
  speak(draft, prompt.messages[said % prompt.messages.length] ?? '', true);
}

/** Ends a call in which nobody has spoken for too long, with a last sentence where the assistant has one. */
export function endForSilence(draft: Draft): void {
  const { silenceMessage } = draft.state.rules;
  if (silenceMessage === '') {
    endConversation(draft, 'silence-timed-out');
    return;
  }
  beginClosing(draft, 'silence-timed-out');
  speak(draft, silenceMessage, false);
}

/**
 * Leaves a message with a machine, says it to its end, and hangs up; without a message it hangs up at once.
 */
export function leaveMessage(draft: Draft, message: string): void {
  if (message === '') {
    endConversation(draft, 'voicemail');
    return;
  }
  if (assistantBusy(draft.state)) dropReply(draft);
  draft.state.audible = false;
  beginClosing(draft, 'voicemail');
  // A message may be longer than a goodbye.
  draft.state.closingSince += message.length * MS_PER_CHARACTER;
  speak(draft, message, false);
}
/** Milliseconds for each character of slow speech. */
const MS_PER_CHARACTER = 100;

/** Has a text spoken after what is being said; does nothing while the assistant is muted. */
export function speak({ state, effects }: Draft, text: string, interruptible: boolean): void {
  if (state.muted && state.phase === 'talking') return;
  const speech = state.nextId++;
  state.speech = [...state.speech, { id: speech, text, interruptible }];
  state.lastSaid = text;
  const notBefore = Math.max(
    state.lastVoiceAt + state.rules.responseDelayMs,
    state.interruptedAt + state.rules.backOffMs,
  );
  effects.push({ type: 'speak', speech, text, notBefore });
}

/** A sentence begins to be heard. */
export function startSpeech({ state, effects }: Draft, speech: number): void {
  if (state.audible || !state.speech.some(({ id }) => id === speech)) return;
  state.audible = true;
  effects.push({ type: 'speech-update', role: 'assistant', status: 'started' });
}

/** A sentence was heard to its end. */
export function finishSpeech(draft: Draft, speech: number): void {
  const { state } = draft;
  if (!state.speech.some(({ id }) => id === speech)) return;
  state.speech = state.speech.filter(({ id }) => id !== speech);
  if (state.speech.length === 0 && (state.reply?.ended ?? true)) fallSilent(draft);
}

/** Everything was said: now it is the caller's turn, or the call is over. */
function fallSilent(draft: Draft): void {
  const { state, effects } = draft;
  state.reply = undefined;
  state.quietSince = state.now;
  if (!state.idling) state.lastActivityAt = state.now;
  if (state.audible) effects.push({ type: 'speech-update', role: 'assistant', status: 'stopped' });
  state.audible = false;
  releaseVoice(draft);
  if (state.phase === 'closing') endConversation(draft, state.endReason ?? 'assistant-ended-call');
  else replyWhenDue(draft);
}

/** Gives up the answer in progress and everything that waits to be said. */
export function dropReply({ state, effects }: Draft): void {
  if (state.reply !== undefined && !state.reply.ended) effects.push({ type: 'cancel-reply' });
  state.reply = undefined;
  if (state.speech.length > 0) effects.push({ type: 'interrupt' });
  state.speech = [];
}

/**
 * Mutes the assistant or ends that. Muted, it says nothing and begins no answer; what the caller says
 * meanwhile waits.
 */
export function muteAssistant(draft: Draft, muted: boolean): void {
  const { state } = draft;
  if (state.phase !== 'talking' || state.muted === muted) return;
  state.muted = muted;
  if (muted) stopSpeaking(draft);
  else replyWhenDue(draft);
}

/** A colleague speaks in the assistant's place, and takes over what was to be answered or said. */
export function takeOver(draft: Draft): void {
  const { state } = draft;
  stopSpeaking(draft);
  state.pending = undefined;
  state.machineAt = undefined;
  state.taken = true;
}

/**
 * The assistant goes on with `sentence`, or with its first message if it has not said it. It then answers
 * what the caller has said since the colleague's last words.
 */
export function giveBack(draft: Draft, sentence: string): void {
  const { state } = draft;
  state.taken = false;
  state.idling = false;
  if (state.pending?.unclear === true) state.pending = undefined;
  const greets = !state.firstMessageSaid && state.rules.firstMessageMode !== 'waits';
  if (greets) greetCaller(draft, false);
  else speak(draft, sentence, true);
  replyWhenDue(draft);
}

/** Silence at once; the rest of the speech is dropped. */
function stopSpeaking(draft: Draft): void {
  const { state, effects } = draft;
  const spoke = state.audible;
  if (assistantBusy(state)) dropReply(draft);
  state.audible = false;
  releaseVoice(draft);
  if (spoke) effects.push({ type: 'speech-update', role: 'assistant', status: 'stopped' });
}

/** Watches for a dialogue that never answers, which must not leave the caller in silence. */
export function watchReply(draft: Draft): void {
  const { state } = draft;
  if (state.reply === undefined || state.reply.ended || state.speech.length > 0 || state.audible) return;
  if (state.now - state.reply.begunAt >= THINKING_LIMIT_MS)
    endConversation(draft, 'pipeline-error-custom-llm-llm-failed');
}
