import { WebSocket } from 'ws';
import type { CallRecord } from './voice-calls.ts';

/** A written call: what the visitor reads, and what they write. */
export async function writtenCall(room: string) {
  const socket = new WebSocket(`${room.replace('http', 'ws')}/words`);
  const read: string[] = [];
  socket.on('message', (data) => void read.push(String(data)));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const messages = (): CallRecord[] =>
    read.filter((text) => text !== 'listening').map((text) => JSON.parse(text));
  return {
    socket,
    messages,
    said: () =>
      messages()
        .filter(({ type, role }) => type === 'transcript' && role === 'assistant')
        .map(({ transcript }) => transcript),
    write: (content: string) =>
      socket.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } })),
  };
}
