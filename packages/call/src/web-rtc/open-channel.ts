import { RoomError } from './room-client.ts';

const OPEN_LIMIT_MS = 15_000;

/** Resolves when the channel is open. @throws RoomError when it does not open within 15 s */
export function openChannel(channel: RTCDataChannel, connection: RTCPeerConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (): void =>
      reject(
        new RoomError('connection-error', 'No connection to the call came about.', { on: 'rtc-connection' }),
      );
    const timer = setTimeout(refuse, OPEN_LIMIT_MS);
    const look = (): void => {
      if (channel.readyState === 'connecting' && connection.connectionState !== 'failed') return;
      clearTimeout(timer);
      connection.removeEventListener('connectionstatechange', look);
      if (channel.readyState === 'open') resolve();
      else refuse();
    };
    channel.addEventListener('open', look);
    connection.addEventListener('connectionstatechange', look);
    look();
  });
}
