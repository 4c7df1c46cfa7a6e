/** How the bytes of an input reach the server. */
export type Delivery = 'whole' | 'pieces' | 'slow' | 'half then reset' | 'half then end' | 'reset at once';

export const DELIVERIES: readonly Delivery[] = [
  'whole',
  'whole',
  'whole',
  'whole',
  'whole',
  'whole',
  'whole',
  'pieces',
  'slow',
  'half then reset',
  'half then end',
  'reset at once',
];

/** One thing that a stranger sends: to which door, which bytes, and how. */
export interface DoorInput {
  readonly door: 'http' | 'websocket' | 'sip-udp' | 'sip-tcp' | 'media';
  readonly delivery: Delivery;
  readonly bytes: Buffer;
  /** WebSocket: what follows the handshake. */
  readonly after?: Buffer;
}

/** An input as a line of the kept ones, and back. */
export const printInput = ({ bytes, after, ...rest }: DoorInput): string =>
  JSON.stringify({ ...rest, bytes: bytes.toString('base64'), after: after?.toString('base64') });

export function readInput(line: string): DoorInput {
  const { bytes, after, ...rest } = JSON.parse(line);
  return {
    ...rest,
    bytes: Buffer.from(bytes, 'base64'),
    ...(after === undefined ? {} : { after: Buffer.from(after, 'base64') }),
  };
}
