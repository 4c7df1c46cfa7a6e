import { phrasePattern } from '@northline/document-reader/text-pattern.contract';
import { z } from 'zod';
import type { FoundPassage } from '../search/document-search.server.ts';
import { citeOf, type Span } from '../search/found-place.server.ts';
import type { AnswerSentence } from './document-question.contract.ts';

/** The answer that we ask the model for. */
const modelAnswerSchema = z.object({
  sentences: z
    .array(
      z.object({
        text: z.string().min(1).max(1000),
        passage: z.number().int(),
        quote: z.string().min(1).max(2000),
      }),
    )
    .max(12),
});

/** A shorter quote proves nothing: "the" is in every text. */
const LEAST_QUOTE = 3;

/**
 * The sentences of a model's answer that are proved: their quote is in the passage that they name, apart from white space,
 * and has every number and address of the sentence. Also how many were left out. Undefined if it is not an answer.
 */
export function verifyAnswer(
  content: string,
  passages: readonly FoundPassage[],
): { sentences: AnswerSentence[]; leftOut: number } | undefined {
  const answer = modelAnswerSchema.safeParse(modelJson(content));
  if (!answer.success) return undefined;
  const sentences: AnswerSentence[] = [];
  for (const { text, passage, quote } of answer.data.sentences) {
    const found = passages[passage - 1];
    const span = found === undefined ? undefined : findQuote(found.text, quote);
    const cite = found === undefined || span === undefined ? undefined : citeOf(found, [span]);
    if (found === undefined || cite === undefined || saysMore(text, quote)) continue;
    sentences.push({ text: text.trim(), file_id: found.file_id, file_name: found.file_name, cite });
  }
  return { sentences, leftOut: answer.data.sentences.length - sentences.length };
}

/** The JSON in a model's answer, also from a code block; undefined if there is none. */
export function modelJson(content: string): unknown {
  try {
    return JSON.parse(content.replace(/^```(?:json)?\s*|\s*```$/g, ''));
  } catch {
    return undefined;
  }
}

/** The place of a quote in a text, apart from white space; undefined if it is absent or too short to prove anything. */
export function findQuote(text: string, quote: string): Span | undefined {
  const words = quote.trim().split(/\s+/);
  if (words.join('').length < LEAST_QUOTE) return undefined;
  const match = new RegExp(phrasePattern(quote), 'u').exec(text);
  return match === null ? undefined : [match.index, match.index + match[0].length];
}

/** Whether a sentence has a number or a web address that its quote lacks. */
export function saysMore(text: string, quote: string): boolean {
  if (
    /https?:|www\.|\S+@\S+\.\S/i.test(text) &&
    !quote.includes(/\S*(?:https?:|www\.|@)\S*/i.exec(text)?.[0] ?? '')
  ) {
    return true;
  }
  const digits = (words: string): string[] => words.replace(/(?<=\d)[ .,'](?=\d)/g, '').match(/\d+/g) ?? [];
  const known = new Set(digits(quote));
  return digits(text).some((number) => !known.has(number));
}
