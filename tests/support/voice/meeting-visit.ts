import type { RoomLayout } from '../../../src/voice/media/room/media-room.server.ts';
import { connectRoomPeer, type RoomPeer } from './room-peer.ts';
import { type CalledProduct, type CallRecord, voiceApi } from './voice-calls.ts';
import { connectPeer, until } from './voice-peer.ts';

/** A person in a room or a call: their connection, their identity, and how they leave. */
export interface Visit<Peer> {
  readonly peer: Peer;
  readonly participant: CallRecord;
  readonly url: string;
}

/** A room as the API shows it. */
export async function createRoom(
  app: CalledProduct,
  properties: object = {},
  more: object = {},
): Promise<CallRecord> {
  const { status, body } = await voiceApi(app, 'POST', '/rooms', { properties, ...more });
  if (status !== 200) throw new Error(`No room: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** A token for a room or a call. */
export async function tokenFor(app: CalledProduct, room_name: string, more: object = {}): Promise<string> {
  return (await voiceApi(app, 'POST', '/meeting-tokens', { properties: { room_name, ...more } })).body.token;
}

/**
 * Enters a room as a browser would, with the offer changed by `changed` if given. @throws Error with the
 * refusal's `code`
 */
export async function enterRoom(
  app: CalledProduct,
  url: string,
  entry: object = {},
  changed = (offer: string): string => offer,
): Promise<Visit<RoomPeer>> {
  const { layout = { audio: 3, video: 2 } } = (await voiceApi(app, 'GET', url)).body as {
    layout?: RoomLayout;
  };
  return enterWith(app, { url, entry }, (answer) =>
    connectRoomPeer(layout, (offer) => answer(changed(offer))),
  );
}

/**
 * Joins a call as a browser would, with a token or as another person. @throws Error with the refusal's `code`
 */
export const enterCall = (app: CalledProduct, url: string, entry: object = {}) =>
  enterWith(app, { url, entry }, connectPeer);

/** The code with which a person is refused; `let in` if they are not. */
export async function refusalOf(entering: Promise<Visit<{ close(): Promise<void> }>>): Promise<string> {
  const outcome = await entering.catch((error: { code?: string }) => error);
  if (!('peer' in outcome)) return outcome.code ?? String(outcome);
  await outcome.peer.close();
  return 'let in';
}

async function enterWith<Peer>(
  app: CalledProduct,
  { url, entry }: { readonly url: string; readonly entry: object },
  connect: (answer: (sdp: string) => Promise<string>) => Promise<Peer>,
): Promise<Visit<Peer>> {
  let entrance: CallRecord;
  const peer = await connect(async (sdp) => {
    const { status, body } = await voiceApi(
      app,
      'POST',
      `${url}/offer`,
      { sdp, type: 'offer', ...entry },
      {},
    );
    if (status !== 201) throw Object.assign(new Error(body.message), { code: body.code });
    entrance = body;
    return body.sdp;
  });
  return { ...entrance, peer };
}

let asked = 0;

/** Sends a command to a room over the data channel. Returns the room's answer, which may be a refusal. */
export async function ask({ peer }: Visit<RoomPeer>, command: object): Promise<CallRecord> {
  asked += 1;
  const id = asked;
  peer.send({ id, command });
  await until('the room answers', () => peer.notices.some(({ reply }) => reply === id));
  return peer.notices.find(({ reply }) => reply === id);
}
