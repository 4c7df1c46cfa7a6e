import type { CallContext, DialogueStep } from '../engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import {
  type ClientMessage,
  parseClientMessage,
  printMessage,
  type ServerMessage,
  wantedMessages,
} from './client-messages.server.ts';
import type { ConversationEvent } from './conversation-events.server.ts';
import type { Transcript } from './keep-transcript.server.ts';
import type { CallSetup } from './set-up-call.server.ts';

/** What comes of a client's messages. */
export interface ClientListener {
  happened(event: ConversationEvent): void;
  /** The caller typed a turn. */
  typed(text: string): void;
  /** Something to remember, without an answer. */
  noted(role: 'user' | 'assistant' | 'system', text: string): void;
}

/** Messages of a client within a second; more are dropped. */
const MESSAGES_PER_SECOND = 30;

/** The app messages of one call, in both directions (contract voice §3). */
export class ClientLine {
  readonly #session: MediaSession;
  readonly #wants: (type: string) => boolean;
  readonly #mayInstruct: boolean;
  readonly #log: CallContext['log'];
  readonly #listener: ClientListener;
  readonly #server: CallSetup['server'];
  #second = 0;
  #messages = 0;

  constructor(
    session: MediaSession,
    options: Pick<CallSetup, 'assistant' | 'mayInstruct' | 'log' | 'server'>,
    listener: ClientListener,
  ) {
    this.#session = session;
    this.#wants = wantedMessages(options.assistant);
    this.#mayInstruct = options.mayInstruct;
    this.#log = options.log;
    this.#listener = listener;
    this.#server = options.server;
    session.onAppMessage((text) => this.#hear(text));
  }

  /** Sends a message to the client and to the assistant's server, as far as they want its type. */
  tell(message: ServerMessage): void {
    this.#server.tell(message);
    if (this.#wants(message.type)) this.send(message);
  }
  tellTranscript(role: 'user' | 'assistant', transcriptType: 'partial' | 'final', transcript: string): void {
    this.tell({ type: 'transcript', role, transcriptType, transcript });
  }
  /** Sends a message in any case; false where the line is closed. */
  send(message: ServerMessage): boolean {
    return this.#session.sendAppMessage(printMessage(message));
  }

  #hear(text: string): void {
    const second = Math.floor(performance.now() / 1000);
    this.#messages = second === this.#second ? this.#messages + 1 : 1;
    this.#second = second;
    if (this.#messages > MESSAGES_PER_SECOND) return;
    const message = parseClientMessage(text);
    if (message === undefined) this.#log('WARN', 'a message of the client was refused: it is none');
    else this.#obey(message);
  }

  #obey(message: ClientMessage): void {
    const { happened } = this.#listener;
    if (message.type === 'playable') happened({ type: 'playable' });
    else if (message.type === 'control') happened({ type: message.control });
    else if (message.type === 'end-call') happened({ type: 'over', reason: 'customer-ended-call' });
    else if (message.type === 'add-message') this.#add(message);
    else {
      const text = message.message ?? message.content ?? '';
      happened({ type: 'say', text, endCallAfterSpoken: message.endCallAfterSpoken ?? false });
    }
  }

  #add({ message, triggerResponseEnabled }: Extract<ClientMessage, { type: 'add-message' }>): void {
    const { role, content } = message;
    if (role !== 'user' && !this.#mayInstruct)
      this.#log('WARN', `a message of the client was refused: it may not speak as ${role}`);
    else if (role === 'user' && triggerResponseEnabled !== false) this.#listener.typed(content);
    else this.#listener.noted(role, content);
  }
}

/** Tells the client what the dialogue does, and keeps its tools in the record of the call. */
export function tellStep(step: DialogueStep, client: ClientLine, transcript: Transcript, time: number): void {
  if (step.kind === 'sentence') client.tell({ type: 'model-output', output: step.text });
  else if (step.kind === 'tool-call') {
    const described = { name: step.name, arguments: step.arguments };
    const call = { id: step.id, type: 'function', function: described };
    transcript.addTool('tool_calls', step.name, time, { toolCalls: [call] });
    client.tell({ type: 'tool-calls', toolCalls: [call], toolCallList: [call] });
  } else if (step.kind === 'transfer') {
    client.tell({ type: 'transfer-update', destination: { type: 'assistant', assistantName: step.to } });
  } else if (step.kind === 'tool-result') {
    const result = { toolCallId: step.id, name: step.name, result: step.result };
    transcript.addTool('tool_call_result', step.name, time, result);
    client.tell({ type: 'tool-calls-result', toolCallResult: result });
  }
}
