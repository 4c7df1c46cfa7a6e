/// <reference lib="dom" />
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Callers, CallerVoice } from './callers/flite-caller.ts';

declare global {
  interface Window {
    toldByAssistant(data: string): void;
    callEnded(): void;
    speak(pcm: string): Promise<void>;
    /** The last track that the page was given. */
    microphoneTrack: MediaStreamTrack | undefined;
  }
}

/** A parsed app message of the call. */
// biome-ignore lint/suspicious/noExplicitAny: messages of every shape are read
type Told = any;

/** Options of the visitor's microphone. */
export interface VisitorOptions {
  /** A voice other than the assistant's. */
  readonly voice?: CallerVoice;
  /** Name of the error with which opening the microphone fails; `never` is a question that nobody answers. */
  readonly microphone?: 'NotAllowedError' | 'NotFoundError' | 'NotReadableError' | 'never';
}

const PATIENCE_MS = 60_000 * Number(process.env.TEST_PATIENCE ?? 1);
const LOOK_MS = 30;
const MODULE_OF_CALLS = '**/assets/test-call.web-*.js';
const EMITS_END = /this\.emit\([`'"]call-end[`'"]\)/g;

/**
 * A visitor of one browser context who speaks at their turn and not by a clock: the test feeds a stream as
 * the page's microphone. It listens to the app messages of the page's calls, and counts every `call-end` of
 * `packages/voice` in the page.
 */
export class SpeakingVisitor {
  readonly told: Told[] = [];
  /** How often `call-end` was emitted, for all calls together. */
  ends = 0;
  readonly #callers: Callers;
  readonly #voice: CallerVoice;
  #seen = 0;

  private constructor(callers: Callers, { voice = 'rms' }: VisitorOptions) {
    this.#callers = callers;
    this.#voice = voice;
  }

  /** Call it before the context's first page is opened. */
  static async of(
    context: BrowserContext,
    callers: Callers,
    options: VisitorOptions = {},
  ): Promise<SpeakingVisitor> {
    const visitor = new SpeakingVisitor(callers, options);
    await context.exposeBinding('toldByAssistant', (_source, data: string) => {
      if (data.startsWith('{')) visitor.told.push(JSON.parse(data));
    });
    await context.exposeBinding('callEnded', () => {
      visitor.ends += 1;
    });
    await context.route(MODULE_OF_CALLS, async (route) => {
      const reply = await route.fetch();
      const text = await reply.text();
      expect(text).toMatch(EMITS_END);
      await route.fulfill({
        response: reply,
        body: text.replaceAll(EMITS_END, 'globalThis.callEnded(),$&'),
      });
    });
    await context.addInitScript(feedMicrophone, options.microphone ?? 'fed');
    return visitor;
  }

  /** Speaks in real time; resolves when the last word was spoken. */
  async say(page: Page, words: string): Promise<void> {
    const whole = await this.#callers.say(words, this.#voice);
    const bytes = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength);
    await page.evaluate((pcm) => window.speak(pcm), bytes.toString('base64'));
  }

  /** Waits until the assistant has begun to say something that no earlier wait has returned. */
  async begun(words: string): Promise<void> {
    await this.#next(
      `the assistant says ${words}`,
      ({ type, role, transcript }) =>
        type === 'transcript' && role === 'assistant' && String(transcript).includes(words),
    );
  }
  /** Does the same, and waits until the assistant has finished. */
  async heard(words: string): Promise<void> {
    await this.begun(words);
    await this.silent();
  }
  /** Waits until the assistant has finished speaking. */
  async silent(): Promise<void> {
    await this.#next(
      'the assistant stops',
      ({ type, role, status }) => type === 'speech-update' && role === 'assistant' && status === 'stopped',
    );
  }
  /** Speaks once and listens to the whole answer. @throws Error when it is another answer */
  async ask(page: Page, words: string, answer: string): Promise<void> {
    const from = this.told.length;
    await this.say(page, words);
    const said = await this.#answer();
    if (!said.some((sentence) => sentence.includes(answer))) {
      const told = JSON.stringify(sayings(this.told.slice(from)));
      throw new Error(`Said: ${words} Asked for: ${answer}. Answered: ${said.join(' ')} All: ${told}`);
    }
  }
  /** The call's history so far. */
  history(): { role: string; content: string }[] {
    return this.told.findLast(({ type }) => type === 'conversation-update')?.conversation ?? [];
  }

  /** What the assistant says next; empty when it stays silent for long. */
  async #answer(): Promise<string[]> {
    const from = this.#seen;
    const spoke = ({ type, role }: Told): boolean => type === 'transcript' && role === 'assistant';
    await this.#next('an answer', spoke);
    await this.silent();
    return this.told
      .slice(from)
      .filter(spoke)
      .map(({ transcript }) => String(transcript));
  }
  /** What was said since then, for the error message of a wait that fails. */
  #lately(): string[] {
    return sayings(this.told.slice(this.#seen));
  }

  async #next(what: string, wanted: (message: Told) => boolean): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const at = this.told.findIndex((message, place) => place >= this.#seen && wanted(message));
      if (at >= 0) {
        this.#seen = at + 1;
        return;
      }
      if (performance.now() > end)
        throw new Error(`In vain waited: ${what}. Since then: ${JSON.stringify(this.#lately())}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** Who began and ended to speak, and what was said, one line each. */
function sayings(told: readonly Told[]): string[] {
  return told
    .filter(({ type }) => type === 'transcript' || type === 'speech-update')
    .map(({ role, status, transcript }) => `${role}: ${status ?? transcript}`);
}

/** Runs in the page, before its own scripts. */
function feedMicrophone(microphone: string): void {
  const { createDataChannel } = RTCPeerConnection.prototype;
  RTCPeerConnection.prototype.createDataChannel = function create(...given) {
    const channel = createDataChannel.apply(this, given);
    channel.addEventListener('message', ({ data }) => window.toldByAssistant(String(data)));
    return channel;
  };
  // An empty page has no devices.
  if (navigator.mediaDevices === undefined) return;
  let context: AudioContext | undefined;
  let out: MediaStreamAudioDestinationNode | undefined;
  navigator.mediaDevices.getUserMedia = async () => {
    if (microphone === 'never') return new Promise(() => {});
    if (microphone !== 'fed') throw new DOMException('refused by the test', microphone);
    context ??= new AudioContext();
    out = context.createMediaStreamDestination();
    window.microphoneTrack = out.stream.getAudioTracks()[0];
    return out.stream;
  };
  window.speak = (pcm) =>
    new Promise((resolve, reject) => {
      if (context === undefined || out === undefined) {
        reject(new Error('nobody has opened the microphone'));
        return;
      }
      const bytes = Uint8Array.from(atob(pcm), (letter) => letter.charCodeAt(0));
      const samples = Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32_768);
      const sound = context.createBuffer(1, samples.length, 16_000);
      sound.copyToChannel(samples, 0);
      const source = new AudioBufferSourceNode(context, { buffer: sound });
      source.connect(out);
      source.onended = () => resolve();
      source.start();
    });
}
