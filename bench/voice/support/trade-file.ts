import { readFileSync } from 'node:fs';
import { type Fact, readPrompt } from '../../../src/voice/dialogue/knowledge/prompt-reading.server.ts';

/** What a caller says to a made-up business. */
export interface TradeLine {
  readonly say: string;
  /** Places in the trade's facts of those that answer it, best first; empty where none does. */
  readonly facts: readonly number[];
  /** Whether it is a question to a business at all, or small talk. */
  readonly talk: boolean;
}

/** A made-up business with its facts and what callers say. */
export interface Trade {
  readonly name: string;
  readonly facts: readonly Fact[];
  /** The lines of its prompt, each of which may be several facts. */
  readonly prompt: readonly string[];
  readonly lines: readonly TradeLine[];
}

/**
 * Reads made-up businesses with callers' questions:
 *
 *     = clock repairer
 *     F1 We mend pendulum clocks.        a fact
 *     F1 F2 ? can you fix my gran's      a question, with the facts that answer it
 *     - ? do you buy old watches         a question that none answers
 *     ~ ? hold on a second               small talk
 */
export function readTrades(file: string): Trade[] {
  return readFileSync(file, 'utf8')
    .split(/^= /m)
    .slice(1)
    .map((block) => {
      const [name = '', ...rest] = block.split('\n').map((line) => line.trim());
      const numbered = rest.flatMap((line) => {
        const [, number = '', text = ''] = /^(F\d+) (?!F\d)([^?].*)$/.exec(line) ?? [];
        return number === '' ? [] : [{ number, text }];
      });
      const facts = numbered.flatMap(({ number, text }) => factsOf(text).map((fact) => ({ number, fact })));
      const lines = rest.flatMap((line): TradeLine[] => {
        const [, marks = '', say = ''] = /^((?:F\d+ )+|[-~] )\? ?(.+)$/.exec(line) ?? [];
        if (say === '') return [];
        const asked = marks.trim().split(' ');
        const answering = asked.flatMap((mark) =>
          facts.flatMap(({ number }, at) => (number === mark ? at : [])),
        );
        return [{ say, facts: answering, talk: marks === '~ ' }];
      });
      return { name, facts: facts.map(({ fact }) => fact), prompt: numbered.map(({ text }) => text), lines };
    });
}

/** The facts of one line of a prompt that says `we`. */
const factsOf = (line: string): readonly Fact[] => readPrompt(`We are here.\n- ${line}`).facts.slice(1);
