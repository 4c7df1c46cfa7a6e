/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { FAKE_MEDIA, openBrowser } from '../../../tests/support/browser.ts';
import type { Product } from '../../support/product.ts';
import { RECORDER_WORKLET, type RecorderOptions, recordPage } from './page-recorder.ts';
import { envelope } from './sound-find.ts';

/** How the caller speaks in a measured call. */
export interface CallerOptions {
  /** A WAV file as the browser's microphone, or clips that are played into it when the bench asks. */
  readonly microphone: string | Readonly<Record<string, Int16Array>>;
  /** How loud the assistant is in the microphone, 0 to 1; only with clips. */
  readonly echo?: number;
}

/** A call in progress, in its own browser. */
export interface BrowserCall {
  readonly page: Page;
  /** Hangs up if the call is still in progress, and returns the recording. */
  finish(): Promise<CallRecording>;
}

/** The sound of a call at the browser, with both sides on one clock. */
export interface CallRecording {
  readonly id: string;
  readonly caller: Float64Array;
  readonly assistant: Float64Array;
  readonly assistantSound: Int16Array;
  readonly messages: readonly { readonly at: number; readonly text: string }[];
  readonly concealed: number;
  readonly received: number;
  /** Parts of each answer's latency, from the call's log. */
  readonly turns: readonly TurnParts[];
  /** The call's record. */
  readonly record: CallRecord;
}

/** The parts of one answer's latency as the server logged them, milliseconds. */
export type TurnParts = Readonly<Record<string, number>>;

/** The fields of a call's record that are measured. */
export interface CallRecord {
  readonly status: string;
  readonly endedReason?: string;
  readonly messages?: readonly { readonly role: string; readonly message: string }[];
  readonly artifact?: { readonly media?: Readonly<Record<string, number>> };
}

const PATIENCE_MS = 30_000;

/** Opens the home page in a browser, presses Test Now, and resolves when the call has begun. */
export async function callFromHome(product: Product, options: CallerOptions): Promise<BrowserCall> {
  const { microphone } = options;
  const file = typeof microphone === 'string' ? microphone : null;
  const browser = await openBrowser([
    ...FAKE_MEDIA,
    '--autoplay-policy=no-user-gesture-required',
    ...(file === null ? [] : [`--use-file-for-fake-audio-capture=${file}%noloop`]),
  ]);
  try {
    // The recorder's worklet is not a file of the site; nothing else needs the bypass.
    const context = await browser.newContext({
      baseURL: product.url,
      reducedMotion: 'reduce',
      bypassCSP: true,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const recorder: RecorderOptions = {
      worklet: RECORDER_WORKLET,
      clips:
        typeof microphone === 'string'
          ? null
          : Object.fromEntries(Object.entries(microphone).map(([name, pcm]) => [name, toBase64(pcm)])),
      echo: options.echo ?? 0,
    };
    await page.addInitScript(recordPage, recorder);
    const created = page.waitForResponse((reply) => reply.url().endsWith('/call/web'));
    await page.goto('/#phone');
    await page.getByRole('button', { name: 'Test Now' }).click();
    const { id } = (await (await created).json()) as { id: string };
    await page.waitForFunction(() => window.bench.messages.some(({ text }) => text === 'listening'));
    return {
      page,
      async finish() {
        try {
          const { concealed, received } = await page.evaluate(() => window.bench.stats());
          const hangUp = page.getByRole('button', { name: 'Hang up' });
          if (await hangUp.isVisible()) await hangUp.click();
          const sound = await page.evaluate(() => window.bench.take());
          const messages = await page.evaluate(() => window.bench.messages);
          const assistantSound = fromBase64(sound.assistant);
          return {
            id,
            concealed,
            received,
            messages,
            assistantSound,
            caller: envelope(fromBase64(sound.caller)),
            assistant: envelope(assistantSound),
            record: await endedCall(product, id),
            turns: await turnsOf(product, id),
          };
        } finally {
          await browser.close();
        }
      },
    };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/** A request to the voice API with the private key. */
export async function askVoice<Reply>(
  product: Product,
  method: string,
  at: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: Reply }> {
  const reply = await fetch(at.startsWith('http') ? at : `${product.url}/voice/v1${at}`, {
    method,
    headers: {
      authorization: `Bearer ${keyOf(product)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Reply };
}

function keyOf({ dataDir }: Product): string {
  const keys = JSON.parse(readFileSync(path.join(dataDir, 'keys.json'), 'utf8')) as Record<string, string>;
  return keys.voice_private_key ?? '';
}

/** The record of a call after it was hung up and closed. @throws Error when it is never closed */
export async function endedCall(product: Product, id: string): Promise<CallRecord> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { body } = await askVoice<CallRecord>(product, 'GET', `/call/${id}`);
    if (body.status === 'ended') return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The call did not end.');
}

async function turnsOf(product: Product, id: string): Promise<TurnParts[]> {
  const { body } = await askVoice<{ results: readonly { log: string }[] }>(
    product,
    'GET',
    `/log?callId=${id}&limit=1000&sortOrder=ASC`,
  );
  return body.results.flatMap(({ log }) =>
    log.startsWith('turn {') ? [JSON.parse(log.slice('turn '.length)) as TurnParts] : [],
  );
}

const toBase64 = (pcm: Int16Array): string =>
  Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).toString('base64');

function fromBase64(text: string): Int16Array {
  const bytes = Buffer.from(text, 'base64');
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
