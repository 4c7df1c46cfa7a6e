import type { WebsiteAnswer, WebsiteCall } from '../records/website.contract.ts';

/** An assistant of a server, which a page of another site shows. */
export interface SiteAssistant {
  /** Address of its routes. */
  readonly url: string;
  /** Origin of the server. */
  readonly server: string;
}

/** What a conversation reports, spoken or written. */
export interface TalkListener {
  began(): void;
  said(role: 'user' | 'assistant', text: string): void;
  /** @param fault why it ended where that was not wanted; the server's own words where it has any */
  over(fault?: string): void;
}

/** A conversation that goes on. */
export interface Talk {
  type(text: string): void;
  end(): void;
  /** Undefined where there is no sound. */
  mute?(muted: boolean): void;
}

/** A refusal of the server, in its own words. */
export class Refusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** @throws Refusal, or TypeError where the server cannot be reached */
async function ask<Answer>({ url }: SiteAssistant, path: string, body?: object): Promise<Answer> {
  const reply = await fetch(`${url}${path}`, {
    credentials: 'omit',
    ...(body === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const told = (await reply.json().catch(() => ({}))) as Answer & { code?: string; message?: string };
  if (!reply.ok) throw new Refusal(told.code ?? '', told.message ?? `status ${reply.status}`);
  return told;
}

/** Its name, colours and hours. @throws Refusal `wrong_origin` */
export const describe = (assistant: SiteAssistant): Promise<WebsiteAnswer> => ask(assistant, '');

/** Creates a call. @returns the address of its room @throws Refusal */
export async function begin(assistant: SiteAssistant, written: boolean): Promise<string> {
  return (await ask<WebsiteCall>(assistant, '/call', { written })).webCallUrl;
}

/** Leaves a message for a person. @throws Refusal */
export const leaveMessage = (assistant: SiteAssistant, fields: object): Promise<object> =>
  ask(assistant, '/message', fields);

/** Deletes what was said in a call. Returns whether that worked. */
export async function deleteWords(room: string): Promise<boolean> {
  const reply = await fetch(`${room}/record`, { method: 'DELETE', credentials: 'omit' }).catch(
    () => undefined,
  );
  return reply?.ok === true;
}

/** Passes what a message of the platform says about the conversation to its listener. */
export function hear(message: unknown, listener: Pick<TalkListener, 'said'>): void {
  const { type, role, transcript, transcriptType } = message as Readonly<Record<string, unknown>>;
  if (type === 'transcript' && transcriptType === 'final' && typeof transcript === 'string')
    listener.said(role === 'user' ? 'user' : 'assistant', transcript);
}

/** What the platform's clients send for a typed turn. */
export const typedTurn = (content: string): object => ({
  type: 'add-message',
  message: { role: 'user', content },
  triggerResponseEnabled: true,
});

/** Opens the WebSocket of a written call. */
export function write(room: string, listener: TalkListener): Talk {
  const socket = new WebSocket(`${room.replace(/^http/, 'ws')}/words`);
  let fault: string | undefined;
  let wanted = false;
  socket.addEventListener('message', ({ data }) => {
    if (data === 'listening') return listener.began();
    const message = JSON.parse(String(data)) as { type?: string; message?: string };
    if (message.type === 'refused') fault = message.message;
    if (message.type === 'hang') wanted = true;
    hear(message, listener);
  });
  socket.addEventListener('close', ({ wasClean }) =>
    listener.over(wanted || wasClean ? fault : (fault ?? '')),
  );
  return {
    type: (text) => socket.send(JSON.stringify(typedTurn(text))),
    end() {
      wanted = true;
      socket.close(1000);
    },
  };
}
