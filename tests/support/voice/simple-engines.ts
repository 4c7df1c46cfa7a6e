import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import type {
  CallerTurn,
  DialogueStep,
  SpokenTurn,
  SttStream,
  VoiceEngines,
} from '../../../src/voice/engines/engines.server.ts';
import { ownVoiceNamed } from '../../../src/voice/engines/speech/speech-client.server.ts';
import { shareOfTone, tone } from './voice-peer.ts';

/** Names of this server's voices. */
const OWN = ['emma', 'rms'];

/** What a caller "says" in a test: a tone of this frequency stands for this sentence. */
export const SPOKEN: Readonly<Record<number, string>> = {
  500: 'what does the audit cost',
  620: 'please take my enquiry',
  740: 'stop',
  860: 'uh-huh',
  980: 'thank you goodbye',
};
/** Frequency of the assistant's voice. */
export const ASSISTANT_HERTZ = 300;
/** Sound of one word. */
const WORD_SECONDS = 0.12;
const PIECE = 1600;
const LOUD = 300;

/** Options of a test's engines. */
export interface SimpleOptions {
  readonly reply?: (turn: CallerTurn, history: readonly SpokenTurn[]) => AsyncIterable<DialogueStep>;
  readonly recognition?: VoiceEngines['recognition'];
  /** Whether it follows whispered instructions; rules follow none. */
  readonly followsInstructions?: boolean;
  readonly breaks?: 'voice' | 'dialogue' | 'recogniser' | 'opening';
}

/** Engines without models: tones in place of words, energy in place of a detector. For tests only. */
export function simpleEngines(options: SimpleOptions = {}): VoiceEngines & { closed: boolean } {
  return {
    recognition: options.recognition ?? 'speech',
    closed: false,
    async openDetector() {
      return {
        windowSamples: 512,
        probabilities: async (windows) => windows.map((window) => (Math.max(...window) > LOUD ? 0.95 : 0.02)),
        close: () => {},
      };
    },
    async openRecogniser() {
      if (options.breaks === 'recogniser') throw new Error('no recogniser today');
      return toneRecogniser();
    },
    ownVoice: (assistant) => ownVoiceNamed(assistant, { has: (name) => OWN.includes(name) }),
    async openVoice() {
      if (options.breaks === 'opening') throw new Error('no voice today');
      return {
        name: 'tones',
        async *speak(sentence, signal) {
          if (options.breaks === 'voice') throw new Error('the voice is hoarse');
          const pcm = tone(ASSISTANT_HERTZ, sentence.split(/\s+/).length * WORD_SECONDS);
          for (let at = 0; at < pcm.length && !signal.aborted; at += PIECE) yield pcm.slice(at, at + PIECE);
        },
        close: () => {},
      };
    },
    async openDialogue() {
      return {
        name: 'scripted',
        followsInstructions: options.followsInstructions,
        async *greet() {
          yield { kind: 'sentence', text: 'Hello.' };
        },
        reply(turn, history) {
          if (options.breaks === 'dialogue') throw new Error('nothing comes to mind');
          return (options.reply ?? scripted)(turn, history);
        },
        usage: () => ({ promptTokens: 3, completionTokens: 5 }),
        close: () => {},
      };
    },
    async close() {
      this.closed = true;
    },
  };
}

async function* scripted(turn: CallerTurn): AsyncGenerator<DialogueStep> {
  if (turn.text === '') yield { kind: 'sentence', text: 'Sorry, could you say that again?' };
  else if (/enquiry/.test(turn.text)) {
    yield { kind: 'tool-call', id: 't1', name: 'take_enquiry', arguments: { about: turn.text } };
    yield { kind: 'tool-result', id: 't1', name: 'take_enquiry', result: { taken: true } };
    yield { kind: 'consent', to: 'being called back', given: true };
    yield { kind: 'sentence', text: 'I have taken your enquiry.' };
  } else if (/goodbye/.test(turn.text)) {
    yield { kind: 'sentence', text: 'Goodbye.' };
    yield { kind: 'hang-up', reason: 'assistant-ended-call' };
  } else {
    yield { kind: 'sentence', text: `You said ${turn.text}.` };
    yield { kind: 'sentence', text: 'The audit is free, and it takes about a week of your time and ours.' };
  }
}

function toneRecogniser(): SttStream {
  let pieces: Int16Array[] = [];
  let told = '';
  let tellPartial: (text: string) => void = () => {};
  const understood = (): string => {
    const pcm = joined(pieces);
    const loud = pcm.filter((sample) => Math.abs(sample) > LOUD);
    if (loud.length < 1600) return '';
    const found = Object.entries(SPOKEN).find(([hertz]) => shareOfTone(pcm, Number(hertz)) > 0.3);
    return found?.[1] ?? '';
  };
  return {
    name: 'tones',
    beginUtterance() {
      pieces = [];
      told = '';
    },
    push(pcm) {
      pieces.push(pcm);
      const text = understood();
      if (text === told) return;
      told = text;
      tellPartial(text);
    },
    onPartial(listener) {
      tellPartial = (text) => listener({ text, confidence: 0.9 });
    },
    endUtterance: async () => ({ text: understood(), confidence: 0.9 }),
    close: () => {},
  };
}
