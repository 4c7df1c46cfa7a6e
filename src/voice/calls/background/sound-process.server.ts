/** Decodes one sound file of a stranger, in a process of its own that ends with it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BufferSource, EncodedPacketSink, Input, OGG } from 'mediabunny';
import { Decoder as Mp3Decoder } from 'minimp3-wasm';
import { serveWorkerRequests } from '../../../kernel/concurrency/worker-server.server.ts';
import { kindOfSound } from './sound-kind.server.ts';

/** The bytes of a file, and the most seconds of it that may be needed. */
export interface SoundRequest {
  readonly file: Uint8Array;
  readonly longest: number;
}

/** Mono sound. */
export interface DecodedSound {
  readonly pcm: Int16Array;
  readonly samplesPerSecond: number;
}

/** Every Opus sound can be decoded at this rate, which is the one of our calls. */
const OPUS_RATE = 16_000;
/** The clock of an Opus file (RFC 7845 §4). */
const OPUS_CLOCK = 48_000;
/** Place and size of the number of samples to skip in the header of an Opus file (RFC 7845 §5.1). */
const PRE_SKIP = 10;

serveWorkerRequests(async ({ file, longest }: SoundRequest): Promise<DecodedSound> => {
  if (kindOfSound(file) === 'mp3') return await fromMp3(file, longest);
  return { pcm: await fromOgg(file, longest), samplesPerSecond: OPUS_RATE };
});

async function fromMp3(file: Uint8Array, longest: number): Promise<DecodedSound> {
  const program = readFileSync(fileURLToPath(import.meta.resolve('minimp3-wasm/dist/decoder.opt.wasm')));
  const { instance } = await WebAssembly.instantiate(program, {});
  const { pcm, samplingRate, numChannels } = new Mp3Decoder(instance.exports, file).decode(longest);
  if (pcm.length === 0) throw new Error('The MP3 file has no sound.');
  return { pcm: mixed(pcm, numChannels), samplesPerSecond: samplingRate };
}

/** The mean of all channels. */
function mixed(pcm: Int16Array, channels: number): Int16Array {
  if (channels === 1) return pcm.slice();
  return Int16Array.from({ length: Math.floor(pcm.length / channels) }, (_, at) => {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += pcm[at * channels + channel] ?? 0;
    return Math.round(sum / channels);
  });
}

async function fromOgg(file: Uint8Array, longest: number): Promise<Int16Array> {
  const input = new Input({ formats: [OGG], source: new BufferSource(file) });
  const track = await input.getPrimaryAudioTrack();
  const header = (await track?.getDecoderConfig())?.description;
  if (track === null || (await track.getCodec()) !== 'opus' || header === undefined)
    throw new Error('Of sounds in Ogg, only Opus is read.');
  const { Decoder } = await import('@evan/opus');
  const decoder = new Decoder({ channels: 1, sample_rate: OPUS_RATE });
  const pieces: Int16Array[] = [];
  let samples = 0;
  for await (const { data } of new EncodedPacketSink(track).packets()) {
    const piece = new Int16Array(decoder.decode(data).slice().buffer);
    pieces.push(piece);
    samples += piece.length;
    if (samples > longest * OPUS_RATE) break;
  }
  const pcm = new Int16Array(samples);
  let at = 0;
  for (const piece of pieces) {
    pcm.set(piece, at);
    at += piece.length;
  }
  const bytes = ArrayBuffer.isView(header) ? header : new Uint8Array(header);
  const skipped = new DataView(bytes.buffer, bytes.byteOffset).getUint16(PRE_SKIP, true);
  return pcm.subarray(Math.round((skipped * OPUS_RATE) / OPUS_CLOCK));
}
