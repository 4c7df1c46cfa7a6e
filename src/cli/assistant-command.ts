import { setTimeout as sleep } from 'node:timers/promises';
import { providerAddress } from '../kernel/config/provider-address.ts';
import { loadKeys } from '../kernel/resources/crypto/keys.ts';
import { type Command, type Outcome, UsageError } from './command.ts';
import { parseOptions } from './command-words.ts';
import { requestServer } from './server-request.ts';

const PAGE = 100;
const POLL_MS = 300;

/** Asks the running product's voice API; `body` makes it a POST. */
type Ask = (path: string, body?: object) => Promise<unknown>;

/** A kept test, as `GET /eval` shows it. */
interface Test {
  readonly id: string;
  readonly name?: string;
  readonly assistantId?: string;
}

/** What was said in a run. */
interface RunMessage {
  readonly role: string;
  readonly content: string;
  readonly judged?: { readonly fault: string | null };
}

/** An ended run, as `GET /eval/run/:id` shows it. */
interface Run {
  readonly id: string;
  readonly status: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly endedMessage?: string;
  readonly results: readonly [{ readonly status: string; readonly messages: readonly RunMessage[] }];
  readonly warnings?: readonly string[];
  readonly cost: number;
}

/** What one test came to. */
interface Verdict {
  readonly test: string;
  readonly right: number;
  readonly wrong: number;
  readonly replies: number;
  readonly seconds: number;
  readonly cost: number;
  /** Sentences about wrong replies, and about a model that did not answer. */
  readonly faults: readonly string[];
}

/** Runs the tests that are kept with assistants; the running product holds the conversations. */
export const assistantCommand: Command = {
  summary: 'runs the tests of assistants, with their own model or with another one',
  usage: [
    'check [--assistant ID]            prints right and wrong replies, seconds a reply, and cost',
    'check --llm URL [--assistant ID]  the same with a model, e.g. http://127.0.0.1:11434/v1?model=qwen3',
  ],
  async run(settings, [form, ...words]) {
    if (form !== 'check') throw new UsageError('');
    const { llm, assistant } = parseOptions(words, ['llm', 'assistant']).values;
    if (llm !== undefined && !URL.canParse(llm)) throw new UsageError('--llm needs an address.');
    const { voice_private_key: key } = await loadKeys(settings.DATA_DIR);
    const ask: Ask = (path, body) =>
      requestServer(settings, {
        ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }),
        path: `/voice/v1${path}`,
        key,
      });
    return checkAssistants(ask, { llm, assistant });
  },
};

/**
 * Runs each kept test that belongs to an assistant, one after another.
 *
 * @param llm a model with OpenAI's chat completions that answers in place of the assistants' own, written as in
 *   VOICE_LLM_URL
 * @returns a line for each test with its faults, the sum, and exit code 1 where a reply was wrong
 * @throws Error with a sentence where nothing can be run
 */
export async function checkAssistants(
  ask: Ask,
  { llm, assistant }: { readonly llm?: string | undefined; readonly assistant?: string | undefined },
): Promise<Outcome> {
  const tests = (await keptTests(ask)).filter(
    ({ assistantId }) => assistantId !== undefined && (assistant === undefined || assistantId === assistant),
  );
  if (tests.length === 0)
    throw new Error(
      'No test is kept with an assistant: add one on its page in the console, or with POST /eval.',
    );
  const verdicts: Verdict[] = [];
  for (const test of tests) verdicts.push(await verdictOf(ask, test, llm));
  const sum = (part: 'right' | 'wrong' | 'replies' | 'seconds' | 'cost'): number =>
    verdicts.reduce((total, verdict) => total + verdict[part], 0);
  const faulty = verdicts.filter(({ faults }) => faults.length > 0);
  return {
    text: [
      ...verdicts.flatMap((verdict) => [lineOf(verdict), ...verdict.faults.map((fault) => `  ${fault}`)]),
      '',
      `right: ${sum('right')}`,
      `wrong: ${sum('wrong')}`,
      `seconds a reply: ${(sum('seconds') / Math.max(1, sum('replies'))).toFixed(2)}`,
      `cost: $${sum('cost').toFixed(4)}`,
    ].join('\n'),
    exitCode: faulty.length > 0 ? 1 : 0,
  };
}

const lineOf = ({ test, right, wrong, faults }: Verdict): string =>
  `${faults.length === 0 ? 'pass' : 'FAIL'}  ${test}  ${right} right, ${wrong} wrong`;

async function keptTests(ask: Ask): Promise<Test[]> {
  const tests: Test[] = [];
  for (let page = 1; ; page += 1) {
    const { results } = (await ask(`/eval?limit=${PAGE}&page=${page}&sortOrder=ASC`)) as { results: Test[] };
    tests.push(...results);
    if (results.length < PAGE) return tests;
  }
}

async function verdictOf(ask: Ask, test: Test, llm: string | undefined): Promise<Verdict> {
  const begun = (await ask('/eval/run', {
    type: 'eval',
    evalId: test.id,
    target: {
      type: 'assistant',
      assistantId: test.assistantId,
      ...(llm === undefined ? {} : { assistantOverrides: await withModel(ask, test.assistantId, llm) }),
    },
  })) as Run;
  let run = begun;
  while (run.status !== 'ended') {
    await sleep(POLL_MS);
    run = (await ask(`/eval/run/${begun.id}`)) as Run;
  }
  return judged(test.name ?? test.id, run, llm);
}

/** The assistant's model settings with another provider: its instructions and tools stay. */
async function withModel(ask: Ask, id: string | undefined, llm: string): Promise<object> {
  const { model } = (await ask(`/assistant/${id}`)) as { model?: object };
  const { url, key, model: name } = providerAddress(llm);
  return {
    model: { ...model, provider: 'custom-llm', url, ...(name === '' ? {} : { model: name }) },
    credentials: [{ provider: 'custom-llm', apiKey: key === '' ? 'none' : key }],
  };
}

function judged(test: string, run: Run, llm: string | undefined): Verdict {
  const [{ messages, status }] = run.results;
  const replies = messages.filter((message) => message.role === 'assistant');
  const wrong = replies.filter(({ judged }) => typeof judged?.fault === 'string');
  // A model that did not answer was replaced by the embedded one, whose replies say nothing about it.
  const unasked = llm === undefined ? [] : (run.warnings ?? []);
  const broken =
    run.endedMessage ?? (status === 'fail' && wrong.length === 0 ? 'The test failed.' : undefined);
  return {
    test,
    right: replies.filter(({ judged }) => judged?.fault === null).length,
    wrong: wrong.length,
    replies: replies.length,
    seconds: (Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1000,
    cost: run.cost,
    faults: [
      ...wrong.map(({ content, judged }) => `“${content}”: ${judged?.fault}`),
      ...(broken === undefined ? [] : [broken]),
      ...unasked,
    ],
  };
}
