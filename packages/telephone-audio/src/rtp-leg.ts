import { randomInt } from 'node:crypto';
import { ServiceError } from '@northline/service-error/service-error';
import { CODECS, type CodecName, createSoundCodec, type SoundCodec } from './codecs/sound-codec.ts';
import { MACHINE_CLOCK } from './frame-pacing.ts';
import { openPortPair, type PortPair } from './port-pair.ts';
import { RtpSession } from './rtp-session.ts';
import {
  type AgreedSections,
  type AgreedSound,
  type Direction,
  type OwnSound,
  readSound,
  type Secrecy,
  writeAnswer,
  writeOffer,
} from './sdp-negotiation.ts';
import type { SoundSession } from './sound-session.ts';
import { newSrtpKey, SRTP_SUITES, type SrtpKey, SrtpStream } from './srtp-protection.ts';

/** How a leg is opened. */
export interface RtpLegOptions {
  /** Local IP address to bind and to state in SDP. */
  readonly address: string;
  /** First and last UDP port; any port where it is missing. */
  readonly portRange?: readonly [number, number];
  /** SRTP with keys in SDP (RFC 4568): never (the default), where the other side wants it too, or always. */
  readonly secure?: Secrecy;
  /** Writes a line to the call's log. */
  log(line: string): void;
}

/** The sound of one telephone call: RTP in both directions, negotiated by SDP (RFC 3264). */
export interface RtpLeg {
  /**
   * Sound of 16 kHz mono in both directions. Its state is `connected` from the first agreement on, and a later listener
   * is called at once: with early media, the conversation can be opened when the call is answered.
   */
  readonly session: SoundSession;
  /** Our offer, the first or a new one, with the present direction. */
  offer(): string;
  /** Takes the answer to our offer. @throws ServiceError 400 `bad_answer` */
  accept(answer: string): void;
  /**
   * Answers an offer, the first or a new one (hold: sendonly, inactive, 0.0.0.0). @throws ServiceError 488
   * `not_acceptable`
   */
  answer(offer: string): string;
  /** Sets our direction for the next offer or answer: on hold the other side is asked not to send. */
  hold(held: boolean): void;
  /**
   * Dials by named tones (RFC 4733), or else by tones in the sound; resolves when the last one has been sent.
   *
   * @param digits 0-9, *, #, A-D; `w` waits half a second, `,` and `W` a second
   * @throws ServiceError 400 `bad_tones`, 409 `call_over`
   */
  sendTones(digits: string): Promise<void>;
  /** Calls the listener with each key that the other side dials. */
  onTone(listener: (digit: string) => void): void;
  /** Calls the listener once for each silence: nothing came for 30 s while neither side was on hold. */
  onSilence(listener: () => void): void;
  /** Says goodbye to the other side and releases the ports; a second call does nothing. */
  close(): Promise<void>;
}

/**
 * Binds a pair of ports and prepares both directions; nothing is sent before an agreement.
 *
 * @throws ServiceError 503 `no_media_port`
 */
export async function openRtpLeg(options: RtpLegOptions): Promise<RtpLeg> {
  const [werift, ...codecs] = await Promise.all([
    import('werift'),
    ...CODECS.map(async ({ name }) => [name, await createSoundCodec(name)] as const),
  ]);
  // Comes last, because the ports would stay bound if a later step failed.
  const pair = await openPortPair(options.address, options.portRange);
  const byName: ReadonlyMap<CodecName, SoundCodec> = new Map(codecs);
  const session = new RtpSession({ werift, pair, codecs: byName, clock: MACHINE_CLOCK, log: options.log });
  return new NegotiatedLeg(options, pair, session);
}

const DIRECTIONS: Readonly<Record<Direction, Direction>> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

class NegotiatedLeg implements RtpLeg {
  readonly session: RtpSession;
  readonly #options: RtpLegOptions;
  readonly #pair: PortPair;
  readonly #secure: Secrecy;
  readonly #id = randomInt(2 ** 31);
  #version = 0;
  /** Our keys stay the same during the call, so that the other side's counters continue. */
  readonly #keys: readonly { readonly id: number; readonly key: SrtpKey; readonly stream: SrtpStream }[];
  #theirs: { readonly material: Buffer; readonly stream: SrtpStream } | undefined;
  #held = false;
  #sections: AgreedSections | undefined;

  constructor(options: RtpLegOptions, pair: PortPair, session: RtpSession) {
    this.#options = options;
    this.#pair = pair;
    this.session = session;
    this.#secure = options.secure ?? 'never';
    this.#keys = SRTP_SUITES.map((suite, n) => {
      const key = newSrtpKey(suite);
      return { id: n + 1, key, stream: new SrtpStream(key) };
    });
  }

  offer(): string {
    const keys = this.#secure === 'never' ? [] : this.#keys;
    return writeOffer(this.#own(this.#held ? 'sendonly' : 'sendrecv', keys), this.#secure, this.#sections);
  }

  accept(answer: string): void {
    const agreed = this.#read(answer, badAnswer);
    const own = this.#keys.find(
      ({ id, key }) => agreed.crypto?.id === id && agreed.crypto.key.suite === key.suite,
    );
    if (agreed.crypto !== undefined && own === undefined)
      throw badAnswer('names a key that answers none of the offered ones');
    this.#agree(agreed, own?.stream);
  }

  answer(offer: string): string {
    const agreed = this.#read(offer, notAcceptable);
    const theirs = DIRECTIONS[agreed.direction];
    const direction = this.#held
      ? theirs === 'recvonly' || theirs === 'inactive'
        ? 'inactive'
        : 'sendonly'
      : theirs;
    const own = this.#keys.find(({ key }) => key.suite === agreed.crypto?.key.suite);
    this.#agree(agreed, own?.stream);
    const keys =
      own === undefined || agreed.crypto === undefined ? [] : [{ id: agreed.crypto.id, key: own.key }];
    return writeAnswer(this.#own(direction, keys), agreed);
  }

  hold(held: boolean): void {
    this.#held = held;
    this.session.holdOther(held);
  }

  sendTones(digits: string): Promise<void> {
    return this.session.dial(digits);
  }

  onTone(listener: (digit: string) => void): void {
    this.session.onTone(listener);
  }

  onSilence(listener: () => void): void {
    this.session.onSilence(listener);
  }

  close(): Promise<void> {
    return this.session.close();
  }

  #read(sdp: string, refusal: (what: string) => ServiceError): AgreedSound {
    return readSound(sdp, { secure: this.#secure, address: this.#options.address, refusal });
  }

  #agree(agreed: AgreedSound, ours: SrtpStream | undefined): void {
    const key = agreed.crypto?.key;
    this.#sections = agreed;
    // The same key continues with its counters; a new key starts new ones.
    if (key === undefined) this.#theirs = undefined;
    else if (this.#theirs?.material.equals(key.material) !== true)
      this.#theirs = { material: key.material, stream: new SrtpStream(key) };
    const theirs = this.#theirs?.stream;
    this.session.agree(agreed, ours === undefined || theirs === undefined ? undefined : { ours, theirs });
  }

  #own(direction: Direction, keys: OwnSound['keys']): OwnSound {
    this.#version += 1;
    return {
      address: this.#options.address,
      port: this.#pair.port,
      reportPort: this.#pair.port + 1,
      direction,
      id: this.#id,
      version: this.#version,
      keys: keys.map(({ id, key }) => ({ id, key })),
    };
  }
}

const badAnswer = (what: string): ServiceError => new ServiceError(400, 'bad_answer', `The answer ${what}.`);
const notAcceptable = (what: string): ServiceError =>
  new ServiceError(488, 'not_acceptable', `The offer ${what}.`);
