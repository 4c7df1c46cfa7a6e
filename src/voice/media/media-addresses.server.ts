import { createHmac } from 'node:crypto';
import { isIPv4 } from 'node:net';
import os from 'node:os';
import { isLoopback, type Settings } from '../../kernel/config/settings.ts';
import type { IceServer } from './media-transport.server.ts';

/** Where media is received, and which address is announced for it. */
export interface MediaAddresses {
  /** IPv4 address that sockets are bound to. */
  readonly bind: string;
  /** IPv4 address that peers are given. */
  readonly announce: string;
  readonly ports: readonly [number, number] | undefined;
}

type AddressSettings = Pick<Settings, 'HOST' | 'VOICE_PUBLIC_ADDRESS' | 'VOICE_UDP_PORTS'>;

/**
 * On a machine that listens only to itself everything stays on the loopback. Otherwise the public address is
 * announced; where that belongs to a router, the machine's first own address is bound.
 */
export function mediaAddresses(
  settings: AddressSettings,
  own: readonly string[] = ownAddresses(),
): MediaAddresses {
  const host = isLoopback(settings.HOST) || !isIPv4(settings.HOST) ? '127.0.0.1' : settings.HOST;
  const outside = host === '0.0.0.0' ? (own[0] ?? '127.0.0.1') : host;
  const announce = settings.VOICE_PUBLIC_ADDRESS || (isLoopback(settings.HOST) ? '127.0.0.1' : outside);
  const local = isLoopback(announce) || own.includes(announce);
  return {
    announce,
    bind: local ? announce : (own[0] ?? '0.0.0.0'),
    ports: portRange(settings.VOICE_UDP_PORTS),
  };
}

function portRange(words: string): readonly [number, number] | undefined {
  const [from, to] = words.split('-').map(Number);
  return from !== undefined && to !== undefined ? [from, to] : undefined;
}

function ownAddresses(): string[] {
  return Object.values(os.networkInterfaces()).flatMap((addresses) =>
    (addresses ?? [])
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address),
  );
}

/** How long a TURN password is valid, seconds; longer than the longest call. */
const TURN_SECONDS = 2 * 3600;

/**
 * The STUN and TURN servers that a browser is given. With a shared secret each call gets a TURN password of
 * its own (draft-uberti-behave-turn-rest-00, as coturn's `use-auth-secret` reads it).
 */
export function iceServersFor(
  callId: string,
  settings: Pick<Settings, 'VOICE_ICE_SERVERS' | 'VOICE_TURN_SECRET'>,
  nowSeconds: number = Math.floor(Date.now() / 1000),
): IceServer[] {
  const username = `${nowSeconds + TURN_SECONDS}:${callId}`;
  return settings.VOICE_ICE_SERVERS.map((urls) => {
    if (!/^turns?:/.test(urls) || settings.VOICE_TURN_SECRET === '') return { urls };
    const credential = createHmac('sha1', settings.VOICE_TURN_SECRET).update(username).digest('base64');
    return { urls, username, credential };
  });
}
