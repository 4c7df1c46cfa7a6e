import type { Figure } from '../support/figure.ts';
import type { Product } from '../support/product.ts';
import { talkInCall, understood } from './support/call-talk.ts';
import type { CallerSounds } from './support/caller-sounds.ts';
import { RATE } from './support/sound-find.ts';

const SENTENCES = [
  'How much is the pro plan?',
  'What are your opening hours?',
  'Can I cancel at any time?',
  'Do you offer lead generation?',
] as const;
/** Delay of the caller after the beginning of the call, and after the assistant's last sound. */
const AT_ONCE_MS = 100;

/**
 * Whether the first word is recognised when a caller speaks at once: after the connection, and after each
 * answer.
 */
export async function measureFirstWords(product: Product, sounds: CallerSounds): Promise<Figure> {
  const lost: string[] = [];
  let asked = 0;
  for (const voice of ['rms', 'awb'] as const) {
    const clips: Record<string, Int16Array> = {};
    for (const sentence of SENTENCES) clips[sentence] = await sounds.say(sentence, voice);
    const begun: { sentence: string; at: number }[] = [];
    const recording = await talkInCall(product, clips, async ({ speak, heard, silent }) => {
      for (const sentence of SENTENCES) {
        const at = await speak(sentence);
        begun.push({ sentence, at });
        await heard(500, at + (1000 * (clips[sentence]?.length ?? 0)) / RATE);
        await silent(AT_ONCE_MS);
      }
      await silent(2000);
    });
    begun.forEach(({ sentence, at }, index) => {
      const [first = ''] = sentence.toLowerCase().split(' ');
      const heard = understood(recording, at, begun[index + 1]?.at).join(' ');
      asked += 1;
      if (!heard.startsWith(first)) lost.push(`"${sentence}" as "${heard}"`);
    });
  }
  return {
    name: 'First words, spoken at once',
    measured: `${asked - lost.length} of ${asked}`,
    against: lost.length === 0 ? 'understood' : `lost: ${lost.join('; ')}`,
    aim: 'none lost',
    met: lost.length === 0,
  };
}
