/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import type { Product } from '../../support/product.ts';
import { type CallRecording, callFromHome } from './browser-call.ts';

/** A caller whose sentences are played when the bench asks; times are those of the recording. */
export interface TalkingCaller {
  /** Begins to play a clip; returns the time of its first sample. */
  speak(clip: string): Promise<number>;
  /** Waits until the assistant, starting after `since`, has spoken for `ms`. */
  heard(ms: number, since: number): Promise<number>;
  /** Waits until the assistant has been silent for `ms`. */
  silent(ms: number): Promise<number>;
  /** When listening to the call began. */
  readonly listeningAt: number;
}

/** Makes one call in which `talk` speaks; returns its recording. */
export async function talkInCall(
  product: Product,
  clips: Readonly<Record<string, Int16Array>>,
  talk: (caller: TalkingCaller) => Promise<void>,
  echo = 0,
): Promise<CallRecording> {
  const call = await callFromHome(product, { microphone: clips, echo });
  try {
    await talk(await callerOn(call.page));
  } catch (error) {
    await call.finish();
    throw error;
  }
  return call.finish();
}

async function callerOn(page: Page): Promise<TalkingCaller> {
  const listeningAt = await page.evaluate(
    () => window.bench.messages.find(({ text }) => text === 'listening')?.at ?? 0,
  );
  return {
    listeningAt,
    speak: (clip) => page.evaluate((name) => window.bench.play(name), clip),
    heard: (ms, since) =>
      limited(page.evaluate(([wanted, from]) => window.bench.heardFor(wanted, from), [ms, since] as const)),
    silent: (ms) => limited(page.evaluate((wanted) => window.bench.silentFor(wanted), ms)),
  };
}

const PATIENCE_MS = 40_000;

/** An assistant that never speaks, or never stops, must not stop the bench for ever. */
function limited(waited: Promise<number>): Promise<number> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(reject, PATIENCE_MS, new Error('The assistant was waited for in vain.')).unref();
  });
  return Promise.race([waited, late]);
}

/** What the server understood of the caller after `from`, in order: whole utterances. */
export function understood(
  { messages }: CallRecording,
  from: number,
  to = Number.POSITIVE_INFINITY,
): string[] {
  return told(messages, from, to, 'transcript')
    .filter(({ role, transcriptType }) => role === 'user' && transcriptType === 'final')
    .map(({ transcript }) => String(transcript));
}

/** App messages of one type between two times. */
export function told(
  messages: CallRecording['messages'],
  from: number,
  to: number,
  type: string,
): Readonly<Record<string, unknown>>[] {
  return messages
    .filter(({ at, text }) => at >= from && at < to && text.startsWith('{'))
    .map(({ text }) => JSON.parse(text) as Record<string, unknown>)
    .filter((message) => message.type === type);
}
