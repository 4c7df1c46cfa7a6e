import type { ServiceError } from '@northline/service-error/service-error';
import ipaddr from 'ipaddr.js';
import { type MediaDescription, parse, parsePayloads, type SessionDescription, write } from 'sdp-transform';
import { CODECS, type CodecTraits } from './codecs/sound-codec.ts';
import { COMFORT_NOISE } from './comfort-noise.ts';
import { sdpLines } from './sdp-lines.ts';
import { SRTP_SUITES, type SrtpKey, type SrtpSuite } from './srtp-protection.ts';

/** Who sends, from the point of view of the description's author (RFC 8866 §6.7). */
export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';
/** Whether sound is encrypted: never, where the other side wants it too, or always. */
export type Secrecy = 'never' | 'offered' | 'required';
/** Makes the error of a refusal from the end of a sentence. */
export type Refusal = (what: string) => ServiceError;

/** What the two sides have agreed on. */
export interface AgreedSound {
  /** The index of the audio section in the description, and all sections as they were written. */
  readonly section: number;
  readonly sections: readonly MediaDescription[];
  /** The codecs, with the payload types by which the other side accepts them; we send by the first one. */
  readonly codecs: readonly CodecTraits[];
  /** Payload type and clock rate of named tones (RFC 4733). */
  readonly tones: { readonly payloadType: number; readonly clock: number } | undefined;
  readonly noise: boolean;
  readonly address: string;
  readonly port: number;
  readonly reports: { readonly address: string; readonly port: number };
  readonly mux: boolean;
  /** The other side's direction. The address `0.0.0.0` is a hold of the old kind (RFC 3264 §8.4). */
  readonly direction: Direction;
  /** The other side's key, and the number of the line that has it. */
  readonly crypto: { readonly id: number; readonly key: SrtpKey } | undefined;
}

/** What a description has to have. */
export interface Wanted {
  readonly secure: Secrecy;
  /** Our own address; the other side's has to be of the same family. */
  readonly address: string;
  readonly refusal: Refusal;
}

const PROTOCOLS: Readonly<Record<string, 'plain' | 'secret'>> = {
  'RTP/AVP': 'plain',
  'RTP/AVPF': 'plain',
  'RTP/SAVP': 'secret',
  'RTP/SAVPF': 'secret',
};
const NAMES = new Map(CODECS.map((codec) => [codec.payloadType, codec]));

/**
 * Parses a description and finds the first usable audio section: with a codec of ours, an address of our
 * family that packets may be sent to, and a key where one is required.
 */
export function readSound(sdp: string, wanted: Wanted): AgreedSound {
  const { refusal } = wanted;
  const description = parse(`${sdpLines(sdp, refusal).join('\r\n')}\r\n`);
  if (description.media.length > 8) throw refusal('has more than eight media sections');
  let why = 'has no audio';
  for (const [section, media] of description.media.entries()) {
    if (media.type !== 'audio' || media.port === 0) continue;
    const read = readSection(description, media, wanted);
    if (typeof read !== 'string') return { section, sections: description.media, ...read };
    why = read;
  }
  throw refusal(why);
}

/** The contents of a section, or why it cannot be used. */
function readSection(
  description: SessionDescription,
  media: MediaDescription,
  wanted: Wanted,
): Omit<AgreedSound, 'section' | 'sections'> | string {
  const codecs = codecsOf(media);
  const crypto = cryptoOf(media);
  const address = media.connection?.ip ?? description.connection?.ip ?? '';
  const held = address === '0.0.0.0' || address === '::';
  const fault = faultOf(media, { codecs, crypto, wanted });
  if (fault !== undefined) return fault;
  if (!held && !maySendTo(address, wanted.address)) return 'names no address that sound can be sent to';
  const mux = media.rtcpMux !== undefined;
  return {
    codecs,
    crypto: wanted.secure === 'never' ? undefined : crypto,
    tones: tonesOf(media, codecs[0]?.clock ?? 8000),
    noise: numbersOf(media).includes(COMFORT_NOISE),
    address,
    port: media.port,
    mux,
    reports: { address, port: mux ? media.port : reportPort(media) },
    direction: held ? 'inactive' : (media.direction ?? description.direction ?? 'sendrecv'),
  };
}

function faultOf(
  { protocol, port }: MediaDescription,
  read: { codecs: readonly CodecTraits[]; crypto: AgreedSound['crypto']; wanted: Wanted },
): string | undefined {
  const { codecs, crypto, wanted } = read;
  if (codecs.length === 0) return 'names no codec of PCMU, PCMA, G722 and opus';
  const secret = PROTOCOLS[protocol];
  if (secret === undefined) return `asks for ${protocol}, which telephones do not speak here`;
  if (secret === 'secret' && crypto === undefined) return 'asks for SRTP without a key that can be used';
  if (secret === 'secret' && wanted.secure === 'never') return 'asks for SRTP, which is off';
  if (crypto === undefined && wanted.secure === 'required')
    return 'does not encrypt its sound, which is required';
  return Number.isInteger(port) && port > 0 && port < 65_536 ? undefined : 'names no port';
}

const numbersOf = (media: MediaDescription): number[] => parsePayloads(String(media.payloads ?? ''));

function reportPort({ rtcp, port }: MediaDescription): number {
  const named = rtcp?.port ?? port + 1;
  return Number.isInteger(named) && named > 0 && named < 65_536 ? named : port;
}

/** The codecs of ours that a section names, in its order, which is the offering side's preference. */
function codecsOf(media: MediaDescription): CodecTraits[] {
  return numbersOf(media).flatMap((payloadType) => {
    const named = media.rtp.find(({ payload }) => payload === payloadType);
    const codec =
      named === undefined
        ? NAMES.get(payloadType)
        : CODECS.find(
            ({ name, clock }) => name.toLowerCase() === named.codec.toLowerCase() && clock === named.rate,
          );
    // A payload type above 95 means nothing without its name.
    return codec === undefined || (named === undefined && payloadType > 95)
      ? []
      : [{ ...codec, payloadType }];
  });
}

/** Named tones with the clock rate of the codec, or else with any. */
function tonesOf(media: MediaDescription, clock: number): AgreedSound['tones'] {
  const listed = numbersOf(media);
  const all = media.rtp.filter(
    ({ codec, payload }) => codec.toLowerCase() === 'telephone-event' && listed.includes(payload),
  );
  const one = all.find(({ rate }) => rate === clock) ?? all[0];
  return one === undefined ? undefined : { payloadType: one.payload, clock: one.rate ?? 8000 };
}

/**
 * The first usable key: with a suite of ours, without a master key index, and with nothing left unencrypted
 * (RFC 4568 §6).
 */
function cryptoOf(media: MediaDescription): AgreedSound['crypto'] {
  for (const { id, suite, config, sessionConfig } of media.crypto ?? []) {
    const [, inline = '', rest = ''] =
      /^inline:([A-Za-z0-9+/=]{40})((?:\|2\^\d{1,2}|\|\d{1,15})?)$/.exec(config) ?? [];
    const material = Buffer.from(inline, 'base64');
    if (material.length !== 30 || rest.includes(':') || (sessionConfig ?? '') !== '') continue;
    const known = SRTP_SUITES.find((one) => one === suite);
    if (known !== undefined) return { id, key: { suite: known, material } };
  }
  return undefined;
}

/**
 * Only addresses of our family, and no multicast. Somebody outside must not have sound sent to services that
 * listen on this machine only.
 */
function maySendTo(address: string, own: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const [theirs, ours] = [ipaddr.parse(address), ipaddr.parse(own)];
  if (theirs.kind() !== ours.kind()) return false;
  const range = theirs.range();
  if (range === 'loopback') return ours.range() === 'loopback' || ours.range() === 'unspecified';
  return !['multicast', 'broadcast', 'unspecified'].includes(range);
}

/** Our side of a description. */
export interface OwnSound {
  readonly address: string;
  readonly port: number;
  readonly reportPort: number;
  readonly direction: Direction;
  /** The number of the session, and the number of its version. */
  readonly id: number;
  readonly version: number;
  readonly keys: readonly { readonly id: number; readonly key: SrtpKey }[];
}

/**
 * The sections that both sides have agreed on; later descriptions never have fewer, or another order (RFC
 * 3264 §8).
 */
export type AgreedSections = Pick<AgreedSound, 'section' | 'sections'>;

/**
 * Writes an offer of everything that we support. @param before the last agreement of a session in progress
 */
export function writeOffer(own: OwnSound, secure: Secrecy, before?: AgreedSections): string {
  const tones = [
    { payload: 101, codec: 'telephone-event', rate: 8000 },
    { payload: 110, codec: 'telephone-event', rate: 48_000 },
  ];
  const protocol = secure === 'required' ? 'RTP/SAVP' : 'RTP/AVP';
  const media = { ...ownSection(own, CODECS, tones, true), protocol };
  const sections = before?.sections.map((one, n) => (n === before.section ? media : refusedSection(one)));
  return write({ ...ownSession(own), media: sections ?? [media] });
}

/** A section that exists but is not used. */
function refusedSection({ type, protocol, payloads }: MediaDescription): MediaDescription {
  return { type, protocol, port: 0, payloads: String(payloads ?? '0'), rtp: [], fmtp: [] };
}

/**
 * Writes the answer to an offer: with its first codec of ours, and all other sections refused (RFC 3264 §6).
 */
export function writeAnswer(own: OwnSound, agreed: AgreedSound): string {
  const { tones, noise, codecs } = agreed;
  const named =
    tones === undefined ? [] : [{ payload: tones.payloadType, codec: 'telephone-event', rate: tones.clock }];
  const media = agreed.sections.map((offered, section): MediaDescription => {
    if (section === agreed.section) {
      const answer = ownSection(own, codecs.slice(0, 1), named, noise);
      return { ...answer, protocol: offered.protocol, ...(agreed.mux ? { rtcpMux: 'rtcp-mux' } : {}) };
    }
    return refusedSection(offered);
  });
  return write({ ...ownSession(own), media });
}

type NamedPayload = MediaDescription['rtp'][number];

function ownSession({ address, id, version }: OwnSound): Omit<SessionDescription, 'media'> {
  const ipVer = ipaddr.parse(address).kind() === 'ipv6' ? 6 : 4;
  return {
    version: 0,
    origin: { username: '-', sessionId: id, sessionVersion: version, netType: 'IN', ipVer, address },
    name: '-',
    connection: { version: ipVer, ip: address },
    timing: { start: 0, stop: 0 },
  };
}

function ownSection(
  own: OwnSound,
  codecs: readonly CodecTraits[],
  tones: readonly NamedPayload[],
  noise: boolean,
): Omit<MediaDescription, 'protocol'> {
  const rtp = [
    ...codecs.map(
      ({ name, clock, channels, payloadType }): NamedPayload => ({
        payload: payloadType,
        codec: name,
        rate: clock,
        ...(channels === undefined ? {} : { encoding: channels }),
      }),
    ),
    ...(noise ? [{ payload: COMFORT_NOISE, codec: 'CN', rate: 8000 }] : []),
    ...tones,
  ];
  const fmtp = codecs.flatMap(({ fmtp: config, payloadType: payload }) =>
    config === undefined ? [] : [{ payload, config }],
  );
  return {
    type: 'audio',
    port: own.port,
    payloads: rtp.map(({ payload }) => payload).join(' '),
    rtp,
    fmtp: [...fmtp, ...tones.map(({ payload }) => ({ payload, config: '0-15' }))],
    rtcp: { port: own.reportPort },
    ptime: 20,
    direction: own.direction,
    ...(own.keys.length === 0
      ? {}
      : {
          crypto: own.keys.map(({ id, key }) => ({
            id,
            suite: key.suite satisfies SrtpSuite,
            config: `inline:${key.material.toString('base64')}`,
          })),
        }),
  };
}
