import type { RealtimeClientEvent, RealtimeFunctionTool } from 'openai/resources/realtime/realtime';
import { WebSocket } from 'ws';
import { PROVIDER_TIMEOUT_MS, type ProviderGuard } from '../providers/provider-access.server.ts';
import type { AnswerSound, SoundShare } from './answer-sound.server.ts';
import { type RealtimeEvent, readRealtimeEvent } from './realtime-events.server.ts';
import { RealtimeResponse } from './realtime-response.server.ts';
import { newMark, SpokenConversation } from './spoken-conversation.server.ts';

/** How a session of a provider's Realtime API is opened. */
export interface RealtimeOptions {
  /** `wss://…/realtime?model=…`. */
  readonly url: string;
  readonly key: string;
  readonly socket?: ProviderGuard['socket'];
  readonly voice: string;
  /** 0.25 to 1.5; where it is undefined, the provider's own speed. */
  readonly speed?: number | undefined;
  /** The model that writes down what the caller says. */
  readonly transcription: { readonly model: string; readonly language: string };
  readonly warn: (line: string) => void;
}

/** What an answer is requested with. */
export interface AnswerRequest {
  /** Used in place of the session's instructions, for this answer. */
  readonly instructions?: string | undefined;
  /** Limit for the words as text; the request allows more tokens, since the answer is spoken. */
  readonly maxTokens?: number | undefined;
  /**
   * Spoken outside the conversation: without tools and history, and the conversation does not learn of it.
   */
  readonly aside?: boolean;
}

/** What the provider has made of an utterance. */
export interface HeardUtterance {
  /** The conversation item that holds its sound; undefined where there is none. */
  readonly item: string | undefined;
  /** Undefined where recognition failed or came too late. */
  readonly text: string | undefined;
}

type DoneResponse = Extract<RealtimeEvent, { type: 'response.done' }>['response'];

interface Utterance {
  readonly mark: string;
  item: string | undefined;
  given: boolean;
  readonly settle: (text: string | undefined) => void;
}

interface MadeSentence {
  readonly text: string;
  readonly sound: AnswerSound;
  readonly share: SoundShare;
}

/** Largest event that is read, bytes; and most bytes that wait to be sent, half a minute of sound. */
const LARGEST_EVENT = 4 * 1024 * 1024;
const MOST_WAITING = 2 * 1024 * 1024;
/** Longer instructions are cut; the provider accepts about as much. */
const LONGEST_INSTRUCTIONS = 60_000;
/** A connection that nobody uses for this long is closed; the next turn opens a new one. */
const IDLE_MS = 5 * 60_000;
/** A cancelled answer has to be over after this many ms, or the connection is given up. */
const QUIET_MS = 3000;
/** After this many failed connections in a row the call goes on without the provider. */
const MOST_FAILURES = 3;
const MOST_TOKENS = 4096;
/** A spoken answer takes about this many times the tokens of its words as text. */
const SPOKEN_TOKENS = 7;
const SOUND = { type: 'audio/pcm' as const, rate: 24_000 as const };
/** Requests whose refusal does no harm: what was to be cancelled or deleted has gone already. */
const HARMLESS = /^(drop|stop)-/;
/**
 * Requests whose refusal ends the connection: the provider would talk without its instructions or its
 * history.
 */
const GRAVE = /^(brief|put)-/;

/**
 * One call's session of a provider's Realtime API, which hears, thinks and speaks. This server decides whose
 * turn it is, not the provider. When the connection is lost, the next request opens a new one, which knows
 * nothing of the old conversation.
 */
export class RealtimeSession {
  readonly conversation = new SpokenConversation();
  /**
   * Set by the call's engines that use the session: it hears the caller, it speaks to the caller, its tokens
   * are counted.
   */
  hears = false;
  speaks = false;
  counted = false;
  readonly #options: RealtimeOptions;
  readonly #used = { promptTokens: 0, completionTokens: 0 };
  readonly #idle: NodeJS.Timeout;
  #socket: WebSocket | null = null;
  #opening: Promise<void> | undefined;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #connection = 0;
  #failures = 0;
  #warned = false;
  #users = 0;
  #closed = false;
  #brief: { readonly instructions: string; readonly tools: readonly RealtimeFunctionTool[] } | undefined;
  #utterances: Utterance[] = [];
  #written = new Map<string, Utterance>();
  #responses: RealtimeResponse[] = [];
  #sentences: MadeSentence[] = [];

  constructor(options: RealtimeOptions) {
    this.#options = options;
    this.#idle = setTimeout(() => this.#rest(), IDLE_MS);
    this.#idle.unref();
  }

  /** The number of the connection; with a new number the provider's conversation has begun anew. */
  get connection(): number {
    return this.#connection;
  }

  usage(): { readonly promptTokens: number; readonly completionTokens: number } {
    return { ...this.#used };
  }

  /** Counts one more engine that uses the session; each engine releases it once. */
  attach(): void {
    this.#users += 1;
  }

  /** Counts one engine less; the last one closes the session. */
  release(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#idle);
    this.#socket?.close();
    this.#lost(this.#socket, 'the call is over');
  }

  /** Opens the connection if none is open. @throws Error if it does not open in time */
  open(): Promise<void> {
    this.#opening ??= this.#connect();
    return this.#opening;
  }

  /** Writes a line to the call's log, one for each connection, since one fault can show itself many times. */
  readonly warn = (line: string): void => {
    if (!this.#warned && !this.#closed) this.#options.warn(line);
    this.#warned = true;
  };

  /** Sets the instructions and tools that apply from now on. */
  brief(instructions: string, tools: readonly RealtimeFunctionTool[]): void {
    const before = this.#brief;
    if (before?.instructions === instructions && before.tools === tools) return;
    this.#brief = { instructions, tools };
    if (instructions.length > LONGEST_INSTRUCTIONS)
      this.#options.warn('the instructions are too long for a realtime session: their end is left out');
    if (this.#socket?.readyState === WebSocket.OPEN) this.send(this.#briefing());
  }

  /** Sends an event, or keeps it until the connection is open. @returns whether it was sent or kept */
  send(event: RealtimeClientEvent): boolean {
    const socket = this.#socket;
    if (socket === null) return false;
    const text = JSON.stringify(event);
    this.#idle.refresh();
    if (socket.readyState === WebSocket.OPEN && socket.bufferedAmount < MOST_WAITING) {
      socket.send(text);
      return true;
    }
    if (socket.readyState !== WebSocket.CONNECTING || this.#waitingBytes + text.length > MOST_WAITING)
      return false;
    this.#waiting.push(text);
    this.#waitingBytes += text.length;
    return true;
  }

  /** Closes an utterance whose sound was appended; resolves after `patienceMs` at the latest. */
  commit(patienceMs: number): Promise<HeardUtterance> {
    const { promise, resolve } = Promise.withResolvers<HeardUtterance>();
    const settle = (text: string | undefined): void => {
      clearTimeout(late);
      utterance.given = true;
      this.#written.delete(utterance.item ?? '');
      resolve({ item: utterance.item, text });
    };
    const utterance: Utterance = { mark: newMark(), item: undefined, given: false, settle };
    const late = setTimeout(settle, patienceMs, undefined);
    this.#utterances.push(utterance);
    if (!this.send({ type: 'input_audio_buffer.commit', event_id: utterance.mark }))
      this.#refused(utterance.mark);
    return promise;
  }

  /** Deletes an utterance's sound from the provider's conversation. */
  deleteItem(item: string): void {
    this.send({ type: 'conversation.item.delete', item_id: item, event_id: `drop-${item}` });
  }

  /** Requests an answer. Without a connection it fails at once. */
  respond({ instructions, maxTokens, aside = false }: AnswerRequest): RealtimeResponse {
    const response = new RealtimeResponse(newMark(), !aside);
    const sent = this.send({
      type: 'response.create',
      event_id: response.key,
      response: {
        metadata: { ask: response.key },
        ...(instructions === undefined ? {} : { instructions: instructions.slice(0, LONGEST_INSTRUCTIONS) }),
        output_modalities: [this.speaks ? 'audio' : 'text'],
        ...(maxTokens === undefined ? {} : { max_output_tokens: this.#tokensFor(maxTokens) }),
        ...(aside ? { conversation: 'none', input: [], tools: [], tool_choice: 'none' } : {}),
      },
    });
    if (sent) this.#responses.push(response);
    else response.fail('it is not connected');
    return response;
  }

  #tokensFor(written: number): number {
    return Math.min(MOST_TOKENS, this.speaks ? written * SPOKEN_TOKENS : written);
  }

  /** Cancels an answer that the provider still works on: nobody waits for it any more. */
  cancel(response: RealtimeResponse): void {
    if (!this.#responses.includes(response)) return;
    const { id, key } = response;
    if (id === undefined) response.unwanted = true;
    else this.send({ type: 'response.cancel', event_id: `stop-${key}`, response_id: id });
  }

  /** Resolves when no answer of the conversation is in progress: the provider makes one at a time. */
  async quiet(): Promise<void> {
    const busy = this.#responses.filter(({ counts }) => counts);
    if (busy.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const late = setTimeout(() => {
      this.#giveUp('an answer did not end');
      resolve();
    }, QUIET_MS);
    void Promise.all(busy.map(({ left }) => left.promise)).then(() => resolve());
    await promise;
    clearTimeout(late);
  }

  /** Keeps the sound of a sentence until the voice speaks it. */
  storeSentence(sentence: MadeSentence): void {
    if (this.speaks) this.#sentences.push(sentence);
  }

  /** Takes the sound that was made for a sentence; undefined where the session did not make the sentence. */
  removeSentence(sentence: string): MadeSentence | undefined {
    const at = this.#sentences.findIndex(({ text }) => text === sentence);
    return at < 0 ? undefined : this.#sentences.splice(0, at + 1).at(-1);
  }

  /** Drops all kept sentences: they will not be said any more. */
  deleteSentences(): void {
    this.#sentences = [];
  }

  #connect(): Promise<void> {
    if (this.#closed || this.#failures >= MOST_FAILURES)
      return Promise.reject(new Error('its connection was given up'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { url, key, socket: guard } = this.#options;
    this.#warned = false;
    try {
      const socket = new WebSocket(url, {
        headers: { authorization: `Bearer ${key}` },
        followRedirects: false,
        maxPayload: LARGEST_EVENT,
        handshakeTimeout: PROVIDER_TIMEOUT_MS,
        ...guard?.(url),
      });
      this.#socket = socket;
      socket.on('open', () => {
        socket.send(JSON.stringify(this.#briefing(true)));
        for (const text of this.#waiting.splice(0)) socket.send(text);
        this.#waitingBytes = 0;
        resolve();
      });
      socket.on('message', (data, binary) => {
        const event = binary ? undefined : readRealtimeEvent(String(data));
        if (event !== undefined && this.#socket === socket) this.#handle(event);
      });
      const lost = (why: string): void => {
        this.#lost(socket, why);
        reject(new Error(why));
      };
      socket.on('error', (error) => lost(error.message));
      socket.on('close', (code) => lost(`closed with ${code}`));
    } catch (error) {
      this.#fault((error as Error).message);
      reject(error);
    }
    // Those who wait for the promise see the error; without them it must not become an unhandled rejection.
    promise.catch(() => {});
    return promise;
  }

  /**
   * Closes a connection that nobody has used for long. This is no fault, and the call's log does not mention
   * it.
   */
  #rest(): void {
    const socket = this.#socket;
    this.#warned = true;
    this.#lost(socket, 'idle');
    this.#failures = 0;
    socket?.close();
  }

  #lost(socket: WebSocket | null, why: string): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#connection += 1;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.conversation.clear();
    for (const utterance of [...this.#utterances, ...this.#written.values()]) {
      utterance.item = undefined;
      utterance.settle(undefined);
    }
    this.#utterances = [];
    this.#written.clear();
    for (const response of [...this.#responses]) {
      response.fail(why);
      this.#leave(response);
    }
    this.#fault(why);
  }

  #fault(why: string): void {
    this.#opening = undefined;
    this.#failures += 1;
    this.warn(`the realtime provider failed: ${why}`);
  }

  #giveUp(why: string): void {
    const socket = this.#socket;
    this.#lost(socket, why);
    socket?.terminate();
  }

  /**
   * The settings of the session. The voice is named once, because a session that has spoken cannot change it.
   */
  #briefing(first = false): RealtimeClientEvent {
    const { voice, speed, transcription } = this.#options;
    const { instructions = '', tools = [] } = this.#brief ?? {};
    const audio = {
      input: { format: SOUND, transcription, turn_detection: null },
      output: { format: SOUND, voice, ...(speed === undefined ? {} : { speed }) },
    };
    return {
      type: 'session.update',
      event_id: `brief-${newMark()}`,
      session: {
        type: 'realtime',
        instructions: instructions.slice(0, LONGEST_INSTRUCTIONS),
        tools: [...tools],
        tool_choice: 'auto',
        ...(first ? { audio } : {}),
      },
    };
  }

  #handle(event: RealtimeEvent): void {
    if ('response_id' in event) {
      this.#responses.find(({ id }) => id === event.response_id)?.handle(event);
      return;
    }
    switch (event.type) {
      case 'input_audio_buffer.committed':
        this.#committed(event.item_id);
        break;
      case 'conversation.item.input_audio_transcription.completed':
        this.#written.get(event.item_id)?.settle(event.transcript.trim());
        break;
      case 'conversation.item.input_audio_transcription.failed':
        this.#written.get(event.item_id)?.settle(undefined);
        break;
      case 'response.created':
        this.#began(event.response);
        break;
      case 'response.done':
        this.#done(event.response);
        break;
      default:
        this.#error(event.error);
    }
  }

  /**
   * Utterances become items in the order in which they were closed. The item of one that was given up is
   * deleted.
   */
  #committed(item: string): void {
    const utterance = this.#utterances.shift();
    if (utterance === undefined) return;
    if (utterance.given) this.deleteItem(item);
    else {
      utterance.item = item;
      this.#written.set(item, utterance);
    }
  }

  #began({ id, metadata }: Extract<RealtimeEvent, { type: 'response.created' }>['response']): void {
    const ours = this.#responses.find(({ key }) => key === metadata?.ask);
    // A server that does not send marks back answers in order.
    const inTurn =
      metadata?.ask === undefined ? this.#responses.find((one) => one.id === undefined) : undefined;
    const response = ours ?? inTurn;
    if (response === undefined) return;
    response.id = id;
    if (response.unwanted) this.cancel(response);
  }

  #done({ id, status, status_details: details, usage }: DoneResponse): void {
    this.#used.promptTokens += usage?.input_tokens ?? 0;
    this.#used.completionTokens += usage?.output_tokens ?? 0;
    const response = this.#responses.find((one) => one.id === id);
    if (response === undefined) return;
    this.#leave(response);
    if (status === 'failed') response.fail('its answer failed');
    else {
      // Not `warn`, which writes one line for each connection: the connection is not at fault here.
      if (status === 'incomplete')
        this.#options.warn(`the realtime provider cut an answer off: ${wordOf(details?.reason)}`);
      this.#failures = 0;
      response.end();
    }
  }

  #leave(response: RealtimeResponse): void {
    this.#responses = this.#responses.filter((one) => one !== response);
    response.left.resolve();
  }

  /** Logs the code of an error only: its text may quote what was sent. */
  #error({ type, code, event_id: mark }: Extract<RealtimeEvent, { type: 'error' }>['error']): void {
    const why = wordOf(code ?? type);
    // A refusal of an utterance that was too short may name no mark; it is for the one that was closed first.
    const short = why.includes('commit_empty') ? this.#utterances[0]?.mark : undefined;
    const ours = mark ?? short ?? '';
    const response = this.#responses.find(({ key }) => key === ours);
    if (GRAVE.test(ours)) this.#giveUp(`it refused: ${why}`);
    else if (response !== undefined) {
      this.#leave(response);
      response.fail(`it refused: ${why}`);
    } else if (!HARMLESS.test(ours) && !this.#refused(ours))
      this.warn(`the realtime provider reports ${why}`);
  }

  /** Settles an utterance that did not become an item. @returns whether there was one with that mark */
  #refused(mark: string): boolean {
    const utterance = this.#utterances.find((one) => one.mark === mark);
    this.#utterances = this.#utterances.filter((one) => one !== utterance);
    utterance?.settle(undefined);
    return utterance !== undefined;
  }
}

/**
 * A code of the provider's. Anything that does not look like a code may quote what was sent, and is left out.
 */
const wordOf = (code: string | null | undefined): string =>
  /^[\w.-]{1,60}$/.test(code ?? '') ? (code ?? '') : 'an error';
