import { SignJWT } from 'jose';
import type { Settings } from '../../kernel/config/settings.ts';

/** The settings of a LiveKit server; all three are set, or none. */
export type LiveKitSettings = Pick<Settings, 'LIVEKIT_URL' | 'LIVEKIT_API_KEY' | 'LIVEKIT_API_SECRET'>;

/** The two people of a call in its LiveKit room. */
export const ASSISTANT = 'assistant';
export const CALLER = 'caller';

/** Within this time somebody has to connect; LiveKit renews the tokens of people who are connected. */
const TOKEN_SECONDS = 300;
const ADMIN_SECONDS = 60;
const DELETE_MS = 5000;

/** The room of a call in LiveKit. */
export const roomOfCall = (callId: string): string => `call-${callId}`;

/**
 * A token for one person of one call's room (a JWT, HS256). They may speak and send texts, and see nobody's other
 * rooms; a caller's page may publish its microphone alone.
 */
export function joinToken(
  settings: LiveKitSettings,
  callId: string,
  identity: typeof ASSISTANT | typeof CALLER,
): Promise<string> {
  return sign(settings, identity, TOKEN_SECONDS, {
    room: roomOfCall(callId),
    roomJoin: true,
    canPublish: true,
    canPublishSources: ['microphone'],
    canSubscribe: true,
    canPublishData: true,
  });
}

/**
 * Deletes the room of a call: people who are still in it have to leave. A room that is gone already is no error.
 *
 * @throws Error when LiveKit refuses, or does not answer within 5 s
 */
export async function deleteRoom(settings: LiveKitSettings, callId: string): Promise<void> {
  const room = roomOfCall(callId);
  const token = await sign(settings, '', ADMIN_SECONDS, { room, roomCreate: true });
  const address = new URL(
    '/twirp/livekit.RoomService/DeleteRoom',
    settings.LIVEKIT_URL.replace(/^ws/, 'http'),
  );
  const reply = await fetch(address, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ room }),
    signal: AbortSignal.timeout(DELETE_MS),
  });
  await reply.body?.cancel();
  if (!reply.ok && reply.status !== 404) throw new Error(`LiveKit answered ${reply.status} to DeleteRoom.`);
}

function sign(settings: LiveKitSettings, identity: string, seconds: number, video: object): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const token = new SignJWT({ video })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(settings.LIVEKIT_API_KEY)
    // The clocks of two machines may differ a little.
    .setNotBefore(now - 30)
    .setExpirationTime(now + seconds);
  if (identity !== '') token.setSubject(identity);
  return token.sign(new TextEncoder().encode(settings.LIVEKIT_API_SECRET));
}
