import type { CallContext, DialogueStep, ServerMessage } from '../engines/engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import { SecondCount } from '../media/per-second-count.server.ts';
import type { CallSetup } from './call-setup.server.ts';
import {
  type ClientMessage,
  parseClientMessage,
  printMessage,
  wantedMessages,
} from './client-messages.server.ts';
import type { ConversationEvent } from './conversation/conversation-events.server.ts';
import { resultText, type Transcript } from './record/transcript.server.ts';

/** What a client's messages cause. */
export interface ClientListener {
  dispatch(event: ConversationEvent): void;
  /** The caller typed a turn. */
  typed(text: string): void;
  /** A message to add to the transcript, without an answer. */
  noted(role: 'user' | 'assistant' | 'system', text: string): void;
}

/** Most messages of a client in one second; more are dropped. */
const MESSAGES_PER_SECOND = 30;

/** The app messages of one call, in both directions (docs/contracts/voice.md §3). */
export class ClientConnection {
  readonly #session: MediaSession;
  readonly #wants: (type: string) => boolean;
  readonly #mayInstruct: boolean;
  readonly #log: CallContext['log'];
  readonly #listener: ClientListener;
  readonly #webhook: CallSetup['webhook'];
  readonly #messages = new SecondCount();

  constructor(
    session: MediaSession,
    options: Pick<CallSetup, 'assistant' | 'mayInstruct' | 'log' | 'webhook'>,
    listener: ClientListener,
  ) {
    this.#session = session;
    this.#wants = wantedMessages(options.assistant);
    this.#mayInstruct = options.mayInstruct;
    this.#log = options.log;
    this.#listener = listener;
    this.#webhook = options.webhook;
    session.onAppMessage((text) => this.#onMessage(text));
  }

  /**
   * Sends a message to the client and to the assistant's server, each if it wants messages of that type.
   *
   * @param forClient members that replace the message's own for the client
   */
  notify(message: ServerMessage, forClient: object = {}): void {
    this.#webhook.notify(message);
    if (this.#wants(message.type)) this.send({ ...message, ...forClient });
  }

  notifyTranscript(
    role: 'user' | 'assistant',
    transcriptType: 'partial' | 'final',
    transcript: string,
  ): void {
    this.notify({ type: 'transcript', role, transcriptType, transcript });
  }

  /** Sends a message whether or not its type is wanted; false where the connection is closed. */
  send(message: ServerMessage): boolean {
    return this.#session.sendAppMessage(printMessage(message));
  }

  /** Carries out a message of somebody who controls the call from outside, who may speak for everybody. */
  instruct(message: ClientMessage): void {
    if (message.type === 'end-call') this.#listener.dispatch({ type: 'over', reason: 'manually-canceled' });
    else if (message.type === 'add-message') this.#add(message, true);
    else this.#apply(message);
  }

  #onMessage(text: string): void {
    if (this.#messages.add() > MESSAGES_PER_SECOND) return;
    const message = parseClientMessage(text);
    if (message === undefined) this.#log('WARN', 'a message of the client was refused: it is not valid');
    else this.#apply(message);
  }

  #apply(message: ClientMessage): void {
    const { dispatch } = this.#listener;
    if (message.type === 'playable') dispatch({ type: 'playable' });
    else if (message.type === 'control') this.#control(message);
    else if (message.type === 'end-call') dispatch({ type: 'over', reason: 'customer-ended-call' });
    else if (message.type === 'add-message') this.#add(message, this.#mayInstruct);
    else {
      const text = message.message ?? message.content ?? '';
      dispatch({ type: 'say', text, endCallAfterSpoken: message.endCallAfterSpoken ?? false });
    }
  }

  #control({
    control: type,
    videoRecordingStartDelaySeconds: delay,
  }: Extract<ClientMessage, { type: 'control' }>): void {
    const recorded = delay !== undefined;
    if (recorded)
      this.#log('INFO', `the caller’s end was told of the recording ${delay} s after it asked for it`);
    this.#listener.dispatch(type === 'say-first-message' ? { type, recorded } : { type });
  }

  #add(
    { message, triggerResponseEnabled }: Extract<ClientMessage, { type: 'add-message' }>,
    mayInstruct: boolean,
  ): void {
    const { role, content } = message;
    if (role !== 'user' && !mayInstruct)
      this.#log('WARN', `a message of the client was refused: it may not speak as ${role}`);
    else if (role === 'user' && triggerResponseEnabled !== false) this.#listener.typed(content);
    else this.#listener.noted(role, content);
  }
}

/** Tells the client of a step of the dialogue, and adds its tool calls to the record of the call. */
export function notifyStep(
  step: DialogueStep,
  client: ClientConnection,
  transcript: Transcript,
  time: number,
): void {
  if (step.kind === 'sentence') client.notify({ type: 'model-output', output: step.text });
  else if (step.kind === 'tool-call') {
    const described = { name: step.name, arguments: step.arguments };
    const call = { id: step.id, type: 'function', function: described };
    transcript.addTool('tool_calls', step.name, time, { toolCalls: [call] });
    const withTool = { type: 'function', function: { name: step.name }, toolCall: call };
    client.notify({
      ...{ type: 'tool-calls', toolCalls: [call], toolCallList: [call] },
      toolWithToolCallList: [withTool],
    });
  } else if (step.kind === 'tool-result') {
    const result = { toolCallId: step.id, name: step.name, result: step.result };
    transcript.addTool('tool_call_result', step.name, time, result);
    client.notify({
      type: 'tool-calls-result',
      toolCallResult: { ...result, result: resultText(step.result) },
    });
  }
}
