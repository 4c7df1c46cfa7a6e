import type { RealtimeClientEvent, RealtimeFunctionTool } from 'openai/resources/realtime/realtime';
import { WebSocket } from 'ws';
import { PROVIDER_TIMEOUT_MS, type ProviderGuard } from '../providers/provider-access.server.ts';
import type { AnswerSound, SoundShare } from './answer-sound.server.ts';
import { type RealtimeEvent, readRealtimeEvent } from './realtime-events.server.ts';
import { RealtimeResponse } from './realtime-response.server.ts';
import { newMark, SpokenConversation } from './spoken-conversation.server.ts';

/** What a session of a provider's Realtime API is opened with. */
export interface RealtimeOptions {
  /** `wss://…/realtime?model=…`. */
  readonly url: string;
  readonly key: string;
  readonly socket?: ProviderGuard['socket'];
  readonly voice: string;
  /** 0.25 to 1.5; the provider's own where it is undefined. */
  readonly speed?: number | undefined;
  /** What writes down what the caller says. */
  readonly transcription: { readonly model: string; readonly language: string };
  readonly warn: (line: string) => void;
}

/** What an answer is asked for with. */
export interface AnswerRequest {
  /** In place of the session's, for this answer. */
  readonly instructions?: string | undefined;
  /** As of a text: more are allowed where it is spoken. */
  readonly maxTokens?: number | undefined;
  /** Said beside the conversation, which does not learn of it: without tools and history. */
  readonly aside?: boolean;
}

/** What the provider has made of an utterance. */
export interface HeardUtterance {
  /** The item of the conversation that is its sound; undefined where there is none. */
  readonly item: string | undefined;
  /** Undefined where it failed, or is late. */
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

/** Largest event that is read, bytes, and bytes that may wait to be sent: half a minute of sound. */
const LARGEST_EVENT = 4 * 1024 * 1024;
const MOST_WAITING = 2 * 1024 * 1024;
/** Instructions beyond it are cut; the provider takes about as much. */
const LONGEST_INSTRUCTIONS = 60_000;
/** A connection that nobody uses is closed; the next turn opens a new one. */
const IDLE_MS = 5 * 60_000;
/** An answer that was cancelled is over by then, or the connection is given up. */
const QUIET_MS = 3000;
/** Connections in a row that came to nothing; then the call goes on without the provider. */
const MOST_FAILURES = 3;
const MOST_TOKENS = 4096;
/** A spoken answer takes about so many times the tokens of the same words as text. */
const SPOKEN_TOKENS = 7;
const SOUND = { type: 'audio/pcm' as const, rate: 24_000 as const };
/** Refused without harm: what was to be cancelled or taken away is gone already. */
const HARMLESS = /^(drop|stop)-/;
/** Refused, the provider would talk without its instructions, or of another conversation. */
const GRAVE = /^(brief|put)-/;

/**
 * One call's session of a provider's Realtime API, which hears, thinks and speaks in one. Whose turn it is, is decided
 * here and not by the provider. A connection that is lost is opened anew by whoever asks next; what it knew is gone then.
 */
export class RealtimeSession {
  readonly conversation = new SpokenConversation();
  /** Set by the engines of the call that use it: it hears the caller, the caller hears it, its tokens are counted. */
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

  /** Which connection this is; another number is another conversation of the provider's. */
  get connection(): number {
    return this.#connection;
  }

  usage(): { readonly promptTokens: number; readonly completionTokens: number } {
    return { ...this.#used };
  }

  /** One more engine uses it; each releases it once. */
  attach(): void {
    this.#users += 1;
  }

  /** The last one closes it. */
  release(): void {
    this.#users -= 1;
    if (this.#users > 0 || this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#idle);
    this.#socket?.close();
    this.#lost(this.#socket, 'the call is over');
  }

  /** Opens the connection where there is none. @throws Error where it cannot be had in time */
  open(): Promise<void> {
    this.#opening ??= this.#connect();
    return this.#opening;
  }

  /** A line for the call's log: one for each connection, as one fault has many voices. */
  readonly warn = (line: string): void => {
    if (!this.#warned && !this.#closed) this.#options.warn(line);
    this.#warned = true;
  };

  /** Who the assistant is, and what it may do, from now on. */
  brief(instructions: string, tools: readonly RealtimeFunctionTool[]): void {
    const before = this.#brief;
    if (before?.instructions === instructions && before.tools === tools) return;
    this.#brief = { instructions, tools };
    if (instructions.length > LONGEST_INSTRUCTIONS)
      this.#options.warn('a realtime session takes no instructions as long: their end is left out');
    if (this.#socket?.readyState === WebSocket.OPEN) this.send(this.#briefing());
  }

  /** Sends an event, or keeps it until the connection is there. @returns whether it is on its way */
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

  /** Closes an utterance whose sound was appended; resolves in time, whatever comes of it. */
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

  /** Takes a caller's sound out of the provider's conversation. */
  deleteItem(item: string): void {
    this.send({ type: 'conversation.item.delete', item_id: item, event_id: `drop-${item}` });
  }

  /** Asks for an answer. It is over at once, with an error, where there is no connection. */
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

  /** Has the provider end an answer, where it is still at it: nobody waits for it any more. */
  cancel(response: RealtimeResponse): void {
    if (!this.#responses.includes(response)) return;
    const { id, key } = response;
    if (id === undefined) response.unwanted = true;
    else this.send({ type: 'response.cancel', event_id: `stop-${key}`, response_id: id });
  }

  /** Resolves when no answer of the conversation is being made any more: there is one at a time. */
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

  /** Keeps the sound of a sentence until the voice asks for it. */
  storeSentence(sentence: MadeSentence): void {
    if (this.speaks) this.#sentences.push(sentence);
  }

  /** The sound that was made for a sentence; undefined where it is somebody else's sentence. */
  removeSentence(sentence: string): MadeSentence | undefined {
    const at = this.#sentences.findIndex(({ text }) => text === sentence);
    return at < 0 ? undefined : this.#sentences.splice(0, at + 1).at(-1);
  }

  /** What was going to be said is not said any more. */
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
    // Whoever waits for it hears of it; nobody may be waiting.
    promise.catch(() => {});
    return promise;
  }

  /** Nobody has used it for long: no fault, and nothing to tell. */
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

  /** The settings of the session. The voice is named once: a session that has spoken keeps its own. */
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

  /** Utterances become items in the order in which they were closed; of one that was given up nothing may stay. */
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
    // A server that sends no marks back answers in turn.
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
      // Of its own: it is no fault of the connection, which has one line for all of its faults.
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

  /** Of an error only its code is told: its words may quote what was sent. */
  #error({ type, code, event_id: mark }: Extract<RealtimeEvent, { type: 'error' }>['error']): void {
    const why = wordOf(code ?? type);
    // Utterances that were too short are refused in the order in which they were closed.
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

  /** An utterance did not become an item. @returns whether there was one of that mark */
  #refused(mark: string): boolean {
    const utterance = this.#utterances.find((one) => one.mark === mark);
    this.#utterances = this.#utterances.filter((one) => one !== utterance);
    utterance?.settle(undefined);
    return utterance !== undefined;
  }
}

/** A code of the provider's; what is none may quote what was sent, and is not told. */
const wordOf = (code: string | null | undefined): string =>
  /^[\w.-]{1,60}$/.test(code ?? '') ? (code ?? '') : 'an error';
