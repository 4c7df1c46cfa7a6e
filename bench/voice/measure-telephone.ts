import { fork } from 'node:child_process';
import path from 'node:path';
import type { LineQuality, MediaStats } from '@northline/telephone-audio/sound-session';
import { type Figure, median, shown } from '../support/figure.ts';
import { freePort, freshDataDir, type Product, removeDataDir, startProduct } from '../support/product.ts';
import { askVoice } from './support/browser-call.ts';
import { quantile } from './support/sound-find.ts';
import type { TelephoneCallFigures, TelephoneNews, TelephoneTask } from './telephone-callers.ts';

/** Simultaneous calls whose frames are counted. */
const MANY = 10;
const PATIENCE_MS = 30_000;

/** One series of calls: what the telephones heard, and the server's records of the same calls. */
interface Series {
  readonly calls: readonly TelephoneCallFigures[];
  readonly media: readonly MediaStats[];
}

/** Calls of SIP telephones to a number of a separate product that accepts enough simultaneous calls. */
export async function measureTelephone(): Promise<Figure[]> {
  const dataDir = freshDataDir();
  const product = await startProduct(dataDir, await freePort(), {
    SIP_LISTEN: 'udp://127.0.0.1:0',
    VOICE_MAX_CALLS: String(MANY + 2),
    SIP_CALLS_FROM_ONE: String(MANY + 2),
  });
  try {
    const first = await series(product, { voices: ['rms'], questions: 0, pauseSeconds: 0, lossPercent: 0 });
    const rings: Series[] = [];
    for (let time = 0; time < 5; time += 1)
      rings.push(await series(product, { voices: ['rms'], questions: 0, pauseSeconds: 0, lossPercent: 0 }));
    const clear: Series[] = [];
    for (const voice of ['rms', 'kal16', 'awb'] as const)
      clear.push(await series(product, { voices: [voice], questions: 7, pauseSeconds: 11, lossPercent: 0 }));
    const lossy = await series(product, { voices: ['rms'], questions: 4, pauseSeconds: 11, lossPercent: 3 });
    const many = await series(product, {
      voices: Array.from({ length: MANY }, (_, at) => (['rms', 'awb'] as const)[at % 2] ?? 'rms'),
      questions: 3,
      pauseSeconds: 20,
      lossPercent: 0,
    });
    return [
      greetingFigure(rings, first),
      ...replyFigures('Telephone', clear),
      ...replyFigures('Telephone, 3 % lost', [lossy]),
      scoreFigure('Line of a telephone', clear, 4),
      scoreFigure('Line of a telephone, 3 % lost', [lossy], 3.5),
      lateFigure(many),
    ];
  } finally {
    await product.stop();
    removeDataDir(dataDir);
  }
}

async function series(product: Product, more: Omit<TelephoneTask, 'uri'>): Promise<Series> {
  const config = (await (await fetch(`${product.url}/config.json`)).json()) as { voiceAssistantId: string };
  const { status, body } = await askVoice<{ id: string; sipUri: string }>(
    product,
    'POST',
    '/phone-number/buy',
    { areaCode: '202', assistantId: config.voiceAssistantId },
  );
  if (status !== 201) throw new Error(`No number: ${status} ${JSON.stringify(body)}`);
  const telephones = fork(path.join(import.meta.dirname, 'telephone-callers.ts'), [
    JSON.stringify({ ...more, uri: body.sipUri } satisfies TelephoneTask),
  ]);
  try {
    const { calls } = await new Promise<TelephoneNews>((resolve, reject) => {
      telephones.once('message', (news: TelephoneNews) => resolve(news));
      telephones.once('exit', (code) => reject(new Error(`The telephones ended with ${code}.`)));
    });
    return { calls, media: await mediaOf(product, body.id, more.voices.length) };
  } finally {
    telephones.kill();
  }
}

/** The server's counts for the calls of a number, once all have ended. @throws Error when they do not end */
async function mediaOf(product: Product, numberId: string, count: number): Promise<MediaStats[]> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { body } = await askVoice<readonly { status: string; artifact?: { media?: MediaStats } }[]>(
      product,
      'GET',
      `/call?phoneNumberId=${numberId}`,
    );
    const ended = body.filter(({ status }) => status === 'ended');
    if (ended.length >= count) return ended.flatMap(({ artifact }) => artifact?.media ?? []);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Of ${count} calls not all ended.`);
}

function greetingFigure(rings: readonly Series[], first: Series): Figure {
  const heard = rings.flatMap(({ calls }) =>
    calls.map(({ greetingMs }) => greetingMs ?? Number.POSITIVE_INFINITY),
  );
  const slowest = Math.max(...heard);
  return {
    name: 'Telephone: ring to greeting',
    measured: shown(median(heard), 'ms'),
    against: `slowest of ${heard.length} ${shown(slowest, 'ms')}; the very first call after the start ${shown(first.calls[0]?.greetingMs ?? Number.NaN, 'ms')}`,
    aim: 'at most 1,000 ms, each',
    met: slowest <= 1000,
  };
}

function replyFigures(what: string, series: readonly Series[]): Figure[] {
  const calls = series.flatMap((one) => one.calls);
  const replies = calls.flatMap((call) => call.replies);
  const asked = calls.reduce((sum, call) => sum + call.asked, 0);
  const middle = median(replies);
  return [
    {
      name: `${what}: mouth to ear of the reply`,
      measured: shown(middle, 'ms'),
      against: `95 % within ${shown(quantile(replies, 0.95), 'ms')}; ${replies.length} of ${asked} questions answered`,
      aim: 'median at most 900 ms',
      met: middle <= 900 && replies.length >= 0.9 * asked,
    },
  ];
}

/** The lower score of the two ends counts. */
function scoreFigure(name: string, series: readonly Series[], least: number): Figure {
  const lines = series.flatMap(({ calls, media }) =>
    [...calls, ...media].flatMap(({ quality }): LineQuality[] => (quality === undefined ? [] : [quality])),
  );
  const score = Math.min(...lines.map(({ mos }) => mos));
  const most = (of: (line: LineQuality) => number): number => Math.max(...lines.map(of));
  return {
    name,
    measured: shown(score, 'of 4.41'),
    against: `E-model of ${lines.length} ends: loss to ${shown(
      most((line) => line.lossPercent),
      '%',
    )}, jitter to ${shown(
      most((line) => line.jitterMs),
      'ms',
    )}, delay to ${shown(
      most((line) => line.delayMs),
      'ms',
    )}`,
    aim: `at least ${least}`,
    met: lines.length > 0 && score >= least,
  };
}

function lateFigure({ calls, media }: Series): Figure {
  const sum = (part: 'framesLate' | 'packetsSent'): number =>
    media.reduce((total, one) => total + one[part], 0);
  const share = (100 * sum('framesLate')) / Math.max(1, sum('packetsSent'));
  const answered = calls.reduce((total, { replies }) => total + replies.length, 0);
  const asked = calls.reduce((total, call) => total + call.asked, 0);
  return {
    name: `Frames that left late (over 40 ms), ${MANY} calls`,
    measured: shown(share, '%'),
    against: `${sum('packetsSent').toLocaleString('en-GB')} frames of ${media.length} telephone calls; ${answered} of ${asked} questions answered`,
    aim: 'at most 1 %',
    met: share <= 1 && media.length === MANY && sum('packetsSent') > 0,
  };
}
