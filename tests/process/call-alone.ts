/// <reference lib="dom" />
// Started by calls-stay-here.soak.test.ts in a network of its own: the loopback, and a way out that only counts.
import { createSocket } from 'node:dgram';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeWave } from '@northline/speech/wave-file';
import { FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { runProduct, temporaryFolder } from '../support/servers/product-process.ts';
import { openCallers } from '../support/voice/callers/flite-caller.ts';

const PATIENCE_MS = 90_000 * Number(process.env.TEST_PATIENCE ?? 1);
const RATE = 16_000;

/** Packets sent through the interface `out`. */
function packetsOut(): number {
  const line = readFileSync('/proc/self/net/dev', 'utf8')
    .split('\n')
    .find((one) => one.trim().startsWith('out:'));
  return Number(line?.split(/[:\s]+/).filter(Boolean)[10]);
}

/** A question that is repeated every ten seconds until it is answered. */
async function microphoneIn(folder: string): Promise<string> {
  const callers = openCallers();
  const parts = [new Int16Array(5 * RATE), await callers.say('How much is the pro plan?')];
  await callers.close();
  const file = path.join(folder, 'microphone.wav');
  writeFileSync(file, writeWave([...parts, new Int16Array(4 * RATE)]));
  return file;
}

async function callAlone(): Promise<void> {
  using folder = temporaryFolder('alone');
  const product = runProduct({ settings: { DATA_DIR: path.join(folder.path, 'data') } });
  const url = await product.url;
  const browser = await openBrowser([
    ...FAKE_MEDIA,
    `--use-file-for-fake-audio-capture=${await microphoneIn(folder.path)}`,
  ]);
  try {
    const page = await (await browser.newContext({ baseURL: url })).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto('/#phone');
    await page.getByRole('button', { name: 'Test Now' }).click();
    await page.getByRole('log').getByText('£49').first().waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('The call is over.').waitFor();
  } finally {
    await browser.close();
    await product.stop();
  }
  const left = packetsOut();
  // Makes sure that the counter works: one packet to a documentation address (RFC 5737).
  const socket = createSocket('udp4');
  await new Promise((resolve) => socket.send('seen', 9, '203.0.113.1', resolve));
  socket.close();
  console.log(JSON.stringify({ left, seen: packetsOut() - left }));
}

await callAlone();
process.exit(0);
