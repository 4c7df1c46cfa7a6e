/**
 * One recogniser: PocketSphinx, called in a process of its own, because a fault in a native library
 * would end the server and every call with it. Started as
 * `node recogniser-process.server.ts LIBRARIES MODELS OWN_MODEL DICTIONARY`.
 */
import koffi from 'koffi';
import type { RecogniserReply, RecogniserRequest } from './recogniser-messages.server.ts';

type Pointer = unknown;

const [libraries = '', models = '', ownModel = '', dictionary = ''] = process.argv.slice(2);

/** How much of the general model of English is mixed into our own (measured: 0.1 to 0.3 do the same). */
const GENERAL_SHARE = 0.2;
/** A partial is asked for after this much new sound. */
const PARTIAL_SAMPLES = 3200;
const SILENCE = new Int16Array(3200);
/** Frames of 10 ms. */
const FRAME_SAMPLES = 160;

/** Bounds that keep recognition several times faster than speech on a shared core (contract voice §4.3). */
const TUNED = { '-ds': '2', '-maxhmmpf': '3000', '-maxwpf': '20', '-logfn': '/dev/null' };

const sphinx = koffi.load(`${libraries}libpocketsphinx.so.3`);
const base = koffi.load(`${libraries}libsphinxbase.so.3`);
const startUtterance = sphinx.func('int ps_start_utt(void*)');
const processRaw = sphinx.func('int ps_process_raw(void*, int16_t*, size_t, int, int)');
const endUtterance = sphinx.func('int ps_end_utt(void*)');
const hypothesis = sphinx.func('str ps_get_hyp(void*, _Out_ int*)');
const posterior = sphinx.func('int ps_get_prob(void*)');
const toNatural = base.func('double logmath_log_to_ln(void*, int)');
const logMathOf = sphinx.func('void* ps_get_logmath(void*)');

const decoder = openDecoder();
const logMath: Pointer = logMathOf(decoder);
let open = false;
let samples = 0;
let samplesOfPartial = 0;
let lastPartial = '';

function openDecoder(): Pointer {
  const argumentsOf = sphinx.func('void* ps_args()');
  const configure = base.func('void* cmd_ln_init(void*, void*, int, ...)');
  const options = { '-hmm': `${models}/en-us`, '-lm': ownModel, '-dict': dictionary, ...TUNED };
  const given = Object.entries(options).flat();
  const configuration: Pointer = configure(
    null,
    argumentsOf(),
    1,
    ...given.flatMap((word) => ['str', word]),
    'void*',
    null,
  );
  const made: Pointer = sphinx.func('void* ps_init(void*)')(configuration);
  if (!made) throw new Error('PocketSphinx could not be opened with these models.');
  mixModels(made, configuration);
  return made;
}

/** Interpolates our own model with the general one, so that free wording is understood as well. */
function mixModels(made: Pointer, configuration: Pointer): void {
  const read = base.func('void* ngram_model_read(void*, str, int, void*)');
  const mix = base.func('void* ngram_model_set_init(void*, void**, char**, float*, int32_t)');
  const math: Pointer = logMathOf(made);
  const parts: Pointer[] = [
    read(configuration, ownModel, 0, math),
    read(configuration, `${models}/en-us.lm.bin`, 0, math),
  ];
  const set: Pointer = mix(configuration, parts, ['own', 'general'], [1 - GENERAL_SHARE, GENERAL_SHARE], 2);
  const used =
    set &&
    sphinx.func('int ps_set_lm(void*, str, void*)')(made, 'mixed', set) === 0 &&
    sphinx.func('int ps_set_search(void*, str)')(made, 'mixed') === 0;
  if (!used) throw new Error('The language models could not be mixed.');
}

function reply(message: RecogniserReply): void {
  process.send?.(message);
}

/** The words, without the numbers that tell pronunciations apart. */
function heardText(): string {
  const text: string | null = hypothesis(decoder, [0]);
  return (text ?? '').replace(/\(\d+\)/g, '').trim();
}

function begin(): void {
  if (open) endUtterance(decoder);
  startUtterance(decoder);
  open = true;
  samples = 0;
  samplesOfPartial = 0;
  lastPartial = '';
  // Speech that starts at the first sample is lost without some quiet before it.
  processRaw(decoder, SILENCE, SILENCE.length, 0, 0);
}

function hear(pcm: Int16Array): void {
  if (!open || pcm.length === 0) return;
  processRaw(decoder, pcm, pcm.length, 0, 0);
  samples += pcm.length;
  samplesOfPartial += pcm.length;
  if (samplesOfPartial < PARTIAL_SAMPLES) return;
  samplesOfPartial = 0;
  const text = heardText();
  if (text === lastPartial) return;
  lastPartial = text;
  reply({ kind: 'partial', text });
}

function end(): void {
  if (!open) {
    reply({ kind: 'heard', text: '', confidence: 0 });
    return;
  }
  open = false;
  processRaw(decoder, SILENCE, SILENCE.length, 0, 0);
  endUtterance(decoder);
  const text = heardText();
  reply({ kind: 'heard', text, confidence: text === '' ? 0 : confidenceOf() });
}

/** The utterance's posterior as a mean over its frames, 0 to 1. */
function confidenceOf(): number {
  const frames = Math.max(1, samples / FRAME_SAMPLES);
  return Math.min(1, Math.exp(toNatural(logMath, posterior(decoder)) / frames));
}

process.on('message', (request: RecogniserRequest) => {
  if (request.kind === 'begin') begin();
  else if (request.kind === 'sound') hear(request.pcm);
  else end();
});
// Without the server there is nobody to listen for.
process.on('disconnect', () => process.exit(0));
reply({ kind: 'ready' });
