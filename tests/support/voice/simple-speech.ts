/**
 * A process of voices for tests, without any model: it says 40 samples that count from 0, in two pieces, and dies,
 * hangs or fails where the text says so.
 */
import type { SpeechReply, SpeechRequest } from '../../../src/voice/engines/speech/speech-messages.server.ts';

const SAMPLES = 40;
const HALF = SAMPLES / 2;
const CODE = 7;

function reply(message: SpeechReply): void {
  process.send?.(message);
}

function counted(from: number, to: number): Int16Array {
  return Int16Array.from({ length: to - from }, (_, at) => from + at);
}

function say({ speech, text, skip }: Extract<SpeechRequest, { kind: 'say' }>): void {
  if (text === 'hangs') return;
  if (text === 'fails') {
    reply({ kind: 'failed', speech, why: 'It cannot be said.' });
    return;
  }
  if (text === 'dies always') process.exit(CODE);
  if (text.startsWith('which process'))
    reply({ kind: 'sound', speech, pcm: Int16Array.of(process.pid % 30_000) });
  else if (skip < HALF) reply({ kind: 'sound', speech, pcm: counted(skip, HALF) });
  // The first piece has to arrive before the end.
  if (text === 'dies once' && skip === 0) {
    setTimeout(() => process.exit(CODE), 100);
    return;
  }
  if (!text.startsWith('which process'))
    reply({ kind: 'sound', speech, pcm: counted(Math.max(skip, HALF), SAMPLES) });
  reply({ kind: 'said', speech });
}

process.on('message', (request: SpeechRequest) => {
  if (request.kind === 'say') say(request);
});
process.on('disconnect', () => process.exit(0));
if (process.argv[3] === 'onnxruntime-web') {
  reply({ kind: 'unusable', why: 'It has no weights.' });
  process.disconnect();
} else reply({ kind: 'ready', runtime: 'onnxruntime-node' });
