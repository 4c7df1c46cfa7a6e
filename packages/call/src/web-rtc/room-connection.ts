import { openChannel } from './open-channel.ts';
import type { RoomClient, RoomEntry, RoomPerson } from './room-client.ts';

/**
 * Offers a connection to a room, applies its answer, and resolves with the local participant once the channel
 * is open.
 *
 * @throws RoomError
 */
export async function connectTo(
  room: RoomClient,
  entry: Omit<RoomEntry, 'sdp'>,
  connection: RTCPeerConnection,
  channel: RTCDataChannel,
): Promise<RoomPerson> {
  await connection.setLocalDescription();
  const { answer, person } = await room.enter({ ...entry, sdp: connection.localDescription?.sdp ?? '' });
  await connection.setRemoteDescription({ type: 'answer', sdp: answer });
  await openChannel(channel, connection);
  return person;
}
