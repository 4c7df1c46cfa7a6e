import os from 'node:os';
import { measureDelivery } from './measure-delivery.ts';
import { measureLighthouse } from './measure-lighthouse.ts';
import { measureNeighbours } from './measure-neighbours.ts';
import { measureRead } from './measure-read.ts';
import { measureRefresh } from './measure-refresh.ts';
import { measureResumable } from './measure-resumable.ts';
import { measureSignIn } from './measure-sign-in.ts';
import { measureSlowFiles } from './measure-slow-files.ts';
import { measureSockets } from './measure-sockets.ts';
import { measureStart } from './measure-start.ts';
import { measureStatic } from './measure-static.ts';
import { measureStuffing } from './measure-stuffing.ts';
import { measureUpload } from './measure-upload.ts';
import { type Figure, shown } from './support/figure.ts';
import { freePort, freshDataDir, removeDataDir, startProduct } from './support/product.ts';

// `npm run bench -- static upload` runs only the parts whose names begin with these words.
const named = process.argv.slice(2);
// `npm run bench -- neighbours 'sign-up'` runs one group of routes. All of them take ten minutes, so they run
// only when named.
const neighbours = named[0] === 'neighbours';
// `npm run bench -- lighthouse /news` measures some pages. It needs Lighthouse beside the project.
const lighthouse = named[0] === 'lighthouse';
const wanted = neighbours || lighthouse ? named.slice(0, 1) : named;
const runs = (part: string): boolean => wanted.length === 0 || wanted.some((word) => part.startsWith(word));
const figures: Figure[] = [];
const load = os.loadavg()[0] ?? 0;
console.log(
  `${os.cpus().length} cores (${os.cpus()[0]?.model}), load ${load.toFixed(2)}, Node ${process.version}; each peer ran in this same run.`,
);
if (runs('stuffing')) show(await measureStuffing());
if (neighbours) for (const figure of await measureNeighbours(named.slice(1))) show(figure);
if (runs('start')) for (const figure of await measureStart()) show(figure);
const dataDir = freshDataDir();
const product = await startProduct(dataDir, await freePort());
try {
  if (lighthouse) for (const figure of await measureLighthouse(product, named.slice(1))) show(figure);
  if (runs('delivery')) show(await measureDelivery(product));
  if (runs('sockets')) for (const figure of await measureSockets(product)) show(figure);
  if (runs('read')) for (const figure of await measureRead(product)) show(figure);
  if (runs('refresh')) show(await measureRefresh(product));
  if (runs('static')) show(await measureStatic(product));
  if (runs('sign-in')) for (const figure of await measureSignIn(product)) show(figure);
  if (runs('resumable')) for (const figure of await measureResumable(product)) show(figure);
  if (runs('slow-files')) show(await measureSlowFiles(product));
  if (runs('upload')) for (const figure of await measureUpload(product)) show(figure);
} finally {
  await product.stop();
  removeDataDir(dataDir);
}
const missed = figures.filter((figure) => !figure.met);
console.log(
  missed.length === 0 ? 'Every aim is met.' : `Missed: ${missed.map((figure) => figure.name).join(', ')}.`,
);
const unmeasured = figures.filter((figure) => figure.unmeasured === true);
if (unmeasured.length > 0) {
  console.log(
    `Not measured, as the requests were refused: ${unmeasured.map((figure) => figure.name).join(', ')}.`,
  );
  process.exitCode = 1;
}

function show(figure: Figure): void {
  figures.push(figure);
  const ratio = figure.ratio === undefined ? '' : `ratio ${shown(figure.ratio, '')}`;
  console.log(
    [
      figure.name.padEnd(26),
      figure.measured.padEnd(18),
      ratio.padEnd(12),
      figure.against.padEnd(46),
      figure.aim,
    ].join(' '),
  );
}
