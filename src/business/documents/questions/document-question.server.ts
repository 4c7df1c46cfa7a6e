import { z } from 'zod';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { LONGEST_SEARCH } from '../search/document-search.contract.ts';
import { type FoundPassage, findPassages, hitOf, wordsQuery } from '../search/document-search.server.ts';
import { verifyAnswer } from './answer-verification.server.ts';
import { type DocumentModel, documentModel, questionTask } from './document-model.server.ts';
import type { DocumentAnswer } from './document-question.contract.ts';
import { reserveTokens } from './model-budget.server.ts';

/** Number of passages that a model reads, and that are shown. */
const MOST_PASSAGES = 10;
const MOST_SHOWN = 5;

/**
 * The function `ask-documents`: a question about one or all of the user's documents. With DOCUMENT_LLM_URL, a model
 * answers from the best passages, and only sentences with a quote from the text are shown. Without it, beyond the day's
 * budget, or if it fails, the best passages are the answer, and `why` gives the reason.
 */
export function declareAskDocuments(http: HttpContext, resources: Resources): void {
  declareFunction(http, {
    name: 'ask-documents',
    callers: 'users',
    body: z.object({ question: z.string().trim().min(2).max(LONGEST_SEARCH), file_id: z.uuid().nullish() }),
    limit: { count: 20, seconds: 60, burst: 10 },
    handle: async ({ caller, body }) => {
      const scope = { userId: requireUser(caller), fileId: body.file_id ?? null };
      const question = body.question.replaceAll('\0', ' ').toWellFormed();
      const passages = await resources.database.asCaller(caller, async (queries) => {
        const words = await wordsQuery(queries, scope, question, true);
        return words === undefined ? [] : findPassages(queries, scope, words, MOST_PASSAGES);
      });
      const answer = await answerWith(resources, documentModel(resources), {
        userId: scope.userId,
        question,
        passages,
      });
      return { ...answer, passages: passages.flatMap(hitOf).slice(0, MOST_SHOWN) };
    },
  });
}

const passagesOnly = (why: DocumentAnswer['why'], leftOut = 0): Omit<DocumentAnswer, 'passages'> => ({
  how: 'passages',
  why,
  sentences: [],
  left_out: leftOut,
});

async function answerWith(
  resources: Resources,
  model: DocumentModel | undefined,
  { userId, question, passages }: { userId: string; question: string; passages: readonly FoundPassage[] },
): Promise<Omit<DocumentAnswer, 'passages'>> {
  if (model === undefined) return passagesOnly('no_model');
  if (passages.length === 0) return passagesOnly(null);
  const task = questionTask(question, passages);
  const reserved = await reserveTokens(resources, userId, model.costOf(task));
  if (reserved === undefined) return passagesOnly('budget');
  let verified: ReturnType<typeof verifyAnswer>;
  try {
    const { content, tokens } = await model.ask(task);
    await reserved.settle(tokens);
    verified = verifyAnswer(content, passages);
  } catch (error) {
    // The reserved tokens stay spent, as the model may have worked and charge for it.
    resources.log.warn({ err: error }, 'the language model for documents did not answer');
    return passagesOnly('unavailable');
  }
  if (verified === undefined) return passagesOnly('unverified');
  const { sentences, leftOut } = verified;
  if (sentences.length === 0) return passagesOnly(leftOut > 0 ? 'unverified' : null, leftOut);
  return { how: 'answer', why: null, sentences, left_out: leftOut };
}
