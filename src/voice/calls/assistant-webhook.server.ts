import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { judgeReply } from '../../kernel/resources/jobs/delivery-retries.ts';
import { OutboundBlocked, type OutboundReply } from '../../kernel/resources/outbound-http/outbound-http.ts';
import type { CallAssistant, CallContext, ServerMessage } from '../engines/engines.server.ts';
import {
  callServer,
  type EventServer,
  type MessageContext,
  messageContext,
  queryServer,
  type SendingParts,
  sendMessage,
  withoutSecrets,
} from '../records/event-server.server.ts';
import type { CallNumber } from './call-setup.server.ts';

/** The messages that are sent where the assistant does not list any (docs/contracts/voice.md §3). */
const DEFAULT_MESSAGES: readonly string[] = [
  'assistant.started',
  'conversation-update',
  'function-call',
  'hang',
  'speech-update',
  'tool-calls',
  'transfer-destination-request',
  'user-interrupted',
];
/** These go other ways: as durable events, or as queries. */
const NOT_SENT = new Set(['status-update', 'tool-calls', 'tool-calls-result', 'function-call', 'metadata']);
const MAX_QUEUED = 200;
/** Milliseconds before each further attempt. */
const RETRY_DELAYS_MS = [250, 1000, 4000];
const ATTEMPT_MS = 5000;
const CLOSING_MS = 2000;

interface QueuedMessage {
  readonly id: string;
  readonly message: ServerMessage;
}

/** Messages of one call to the server of its assistant (docs/contracts/voice.md §3: "To serverUrl"). */
export class AssistantWebhook {
  readonly #parts: SendingParts;
  readonly #server: EventServer | undefined;
  readonly #wanted: ReadonlySet<string>;
  #context: MessageContext;
  #artifact: (() => object) | undefined;
  readonly #log: CallContext['log'];
  readonly #queue: QueuedMessage[] = [];
  readonly #stopped = new AbortController();
  #delivering: Promise<void> | undefined;
  #gone = false;

  /**
   * @param about the call's record as the API shows it, and our phone number that was called; every message
   * has both, and the assistant without its secrets
   */
  constructor(
    parts: SendingParts,
    assistant: CallAssistant,
    about: { readonly call: Readonly<Record<string, unknown>>; readonly number?: CallNumber | undefined },
    log: CallContext['log'],
  ) {
    this.#parts = parts;
    this.#server = callServer(parts, assistant, about.number);
    this.#wanted = new Set<string>(assistant.serverMessages ?? DEFAULT_MESSAGES);
    this.#context = messageContext(about.call, assistant, about.number);
    this.#log = log;
  }

  /** Adds `artifact`, what was said so far, to every message from now on. */
  describe(artifact: () => object): void {
    this.#artifact = artifact;
  }

  /** Another assistant takes the call; messages still go to the first one's server. */
  handOver(assistant: CallAssistant): void {
    this.#context = { ...this.#context, assistant: withoutSecrets(assistant) };
  }

  /**
   * Sends a message if the assistant wants its type. Messages are sent in order and repeated on failure;
   * nobody waits for them.
   */
  notify(message: ServerMessage): void {
    const server = this.#server;
    if (server === undefined || this.#gone || this.#stopped.signal.aborted || !this.#wants(message)) return;
    this.#enqueue(message);
    this.#delivering ??= this.#deliverAll(server).finally(() => {
      this.#delivering = undefined;
    });
  }

  /**
   * Sends a question and waits for the answer; the call goes on meanwhile.
   *
   * @param server used in place of the assistant's, e.g. a tool's own
   * @returns the parsed body of a 2xx
   * @throws Error with a sentence for the call's log, which names no secret
   */
  async query(message: ServerMessage, server = this.#server): Promise<unknown> {
    if (server === undefined) throw new Error('There is no server to ask.');
    return queryServer(this.#parts, server, this.#complete(message));
  }

  /** Resolves when everything has been delivered, or after a short time; nothing is sent after that. */
  async close(): Promise<void> {
    const patience = new AbortController();
    await Promise.race([
      this.#delivering,
      pause(CLOSING_MS, undefined, { signal: patience.signal }).catch(() => {}),
    ]);
    patience.abort();
    this.#stopped.abort();
  }

  #wants({ type, transcriptType }: ServerMessage): boolean {
    if (NOT_SENT.has(type)) return false;
    return (
      this.#wanted.has(type) ||
      (transcriptType === 'final' && this.#wanted.has('transcript[transcriptType="final"]'))
    );
  }

  #complete(message: ServerMessage): ServerMessage {
    const artifact = this.#artifact?.();
    return {
      timestamp: Date.now(),
      ...message,
      ...this.#context,
      ...(artifact === undefined ? {} : { artifact }),
    };
  }

  /** A newer conversation update replaces an older one that has not been sent. */
  #enqueue(message: ServerMessage): void {
    const stale = this.#queue.findIndex(
      (one, index) =>
        index > 0 && one.message.type === 'conversation-update' && message.type === one.message.type,
    );
    if (stale !== -1) this.#queue.splice(stale, 1);
    if (this.#queue.length >= MAX_QUEUED) {
      this.#queue.splice(1, 1);
      this.#log('WARN', 'a message for the server of the assistant was dropped: it is too slow');
    }
    this.#queue.push({ id: randomUUID(), message: this.#complete(message) });
  }

  async #deliverAll(server: EventServer): Promise<void> {
    for (let next = this.#queue[0]; next !== undefined && !this.#gone; next = this.#queue[0]) {
      await this.#deliver(server, next);
      this.#queue.shift();
    }
  }

  async #deliver(server: EventServer, queued: QueuedMessage): Promise<void> {
    for (let count = 0; !this.#stopped.signal.aborted; count += 1) {
      const reply = await this.#send(server, queued);
      const { outcome } = judgeReply(reply);
      if (outcome === 'delivered') return;
      const delay = RETRY_DELAYS_MS[count];
      if (outcome !== 'again' || delay === undefined) {
        this.#gone = outcome === 'gone' || reply instanceof OutboundBlocked;
        const { type } = queued.message;
        const reason = reply instanceof Error ? reply.message : `it answered ${reply.status}`;
        this.#log('WARN', `the server of the assistant was not told of ${type}: ${reason}`);
        return;
      }
      await pause(delay, undefined, { signal: this.#stopped.signal }).catch(() => {});
    }
  }

  #send(server: EventServer, { id, message }: QueuedMessage): Promise<OutboundReply | Error> {
    return sendMessage(this.#parts, server, message, { id, ms: ATTEMPT_MS }).catch((error: Error) => error);
  }
}
