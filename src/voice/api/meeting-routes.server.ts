import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { listSchema } from '../records/voice-resources.contract.ts';
import { parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import {
  ejectSchema,
  meetingRoomSchema,
  meetingTokenSchema,
  roomNameSchema,
} from '../rooms/meeting-room.contract.ts';
import type { MeetingRooms } from '../rooms/meeting-rooms.server.ts';

/**
 * Mounts rooms, their tokens and their people, in the shapes of the published API (docs/voice-api.md, Rooms).
 */
export function mountMeetings({ server, records }: VoiceScope, rooms: MeetingRooms): void {
  const nameOf = (request: FastifyRequest): string => parseVoice(roomNameSchema, request.params).name;
  server.post('/rooms', async (request) => {
    const body = parseVoice(meetingRoomSchema, request.body);
    await records.mustExist('assistant', [body.assistantId], 'assistantId');
    // 120 bits: a name that nobody can guess, as the published API generates them.
    return rooms.create({ ...body, name: body.name ?? randomBytes(15).toString('base64url') });
  });
  server.get('/rooms', async (request) => {
    const query = parseVoice(listSchema, request.query);
    const data = await rooms.list(query);
    return { total_count: await records.count('room', query), data };
  });
  server.get('/rooms/:name', async (request) => rooms.find(nameOf(request)));
  server.delete('/rooms/:name', async (request) => {
    const name = nameOf(request);
    await rooms.remove(name);
    return { deleted: true, name };
  });
  server.get('/rooms/:name/presence', async (request) => {
    const name = nameOf(request);
    const now = Date.now() / 1000;
    const data = (await rooms.present(name)).map(({ session_id, user_id, user_name, since }) => ({
      room: name,
      id: session_id,
      userId: user_id,
      userName: user_name,
      joinTime: new Date(since * 1000).toISOString(),
      duration: Math.round(now - since),
    }));
    return { total_count: data.length, data };
  });
  server.post('/rooms/:name/eject', async (request) => {
    const whom = parseVoice(ejectSchema, request.body);
    return { ejectedIds: await rooms.eject(nameOf(request), whom) };
  });
  server.post('/meeting-tokens', async (request) => {
    const { properties } = parseVoice(meetingTokenSchema, request.body);
    return { token: await rooms.issueToken(properties) };
  });
}
