import { sdpLines } from '@northline/telephone-audio/sdp-lines';
import { ServiceError } from '../../kernel/contract/service-error.ts';

/** How many sections of sound and of pictures an offer has. */
export interface OfferSections {
  readonly audio: number;
  readonly video: number;
}
/**
 * A call takes one track of sound. Three further sections may follow: a data channel, and two that the answer
 * refuses by their direction.
 */
const CALL: OfferSections = { audio: 1, video: 0 };
const MOST_OTHERS = 3;

/**
 * Checks that an offer has what a call (one Opus track) or a room needs, and at most one data channel, and
 * removes its candidates. This server is ICE-lite (RFC 8445 §2.5) and answers to the address that a request
 * came from, so that no offer can make it send packets to a host of the client's choice
 * (docs/security-attacks.md, attack 43).
 *
 * @returns the offer without candidates
 * @throws ServiceError 400 `bad_offer`
 */
export function checkOffer(offer: string, wanted: OfferSections = CALL): string {
  const lines = sdpLines(offer, bad);
  checkSections(lines, wanted);
  if (!lines.some((line) => /^a=rtpmap:\d{1,3} opus\/48000\/2$/i.test(line)))
    throw bad('does not offer Opus');
  for (const [name, wanted] of [
    ['a=fingerprint:sha-256 ', /^a=fingerprint:sha-256 ([0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2}$/],
    ['a=ice-ufrag:', /^a=ice-ufrag:[\w+/-]{4,256}$/],
    ['a=ice-pwd:', /^a=ice-pwd:[\w+/-]{22,256}$/],
  ] as const) {
    const given = lines.filter((line) => line.startsWith(name));
    if (given.length === 0 || !given.every((line) => wanted.test(line)))
      throw bad(`has no usable ${name.slice(2, -1)}`);
  }
  const kept = lines.filter((line) => !/^a=(candidate:|end-of-candidates|remote-candidates:)/.test(line));
  return `${kept.join('\r\n')}\r\n`;
}

function checkSections(lines: readonly string[], { audio, video }: OfferSections): void {
  const sections = lines.filter((line) => line.startsWith('m='));
  const most = audio + video + (video === 0 ? MOST_OTHERS : 1);
  if (sections.length === 0 || sections.length > most)
    throw bad(`needs one to ${most === 4 ? 'four' : most} media sections`);
  const secured = (kind: string): number =>
    sections.filter((line) => line.startsWith(`m=${kind} `) && / UDP\/TLS\/RTP\/SAVPF /.test(line)).length;
  if (secured('audio') !== audio)
    throw bad(
      `needs ${audio === 1 ? 'exactly one secured audio section' : `${audio} secured audio sections`}`,
    );
  if (sections.filter((line) => line.startsWith('m=application ')).length > 1)
    throw bad('has more than one data channel section');
  if (video === 0) return;
  if (secured('video') !== video) throw bad(`needs ${video} secured video sections`);
  if (!lines.some((line) => /^a=rtpmap:\d{1,3} VP8\/90000$/i.test(line))) throw bad('does not offer VP8');
}

function bad(what: string): ServiceError {
  return new ServiceError(400, 'bad_offer', `The offer ${what}.`);
}
