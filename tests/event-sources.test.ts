import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// An error event without a listener, and an exception in a listener, end the whole process. These rules keep both away
// from what strangers send; `scripts/supervise.cjs` starts the next process after what slips through.
const ROOT = path.join(import.meta.dirname, '..');
const sources = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: ROOT })
  .filter(
    (file) =>
      !/\.(test|fixture|web|worklet|generated)\.|(^|\/)(ui|site)\/|^packages\/(call|voice)\//.test(file),
  )
  .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));

/** What emits errors of its own, by the call that makes it. */
const MAKERS: readonly RegExp[] = [
  /(?<![.\w])createSocket\(/g,
  /(?<![.\w])(?:spawn|fork)\(/g,
  /\bnew Worker\(/g,
  /\bnew WebSocket\(/g,
  /\.handleUpgrade\(/g,
  /(?<![.\w])(?:net|tls)\.(?:connect|createConnection)\(|(?<![.#\w])connect(?:Tcp|Tls)\(/g,
  /(?<!\byield\* |\bof )(?:\b\w+\.)?\bcreate(?:Read|Write)Stream\(/g,
  /\bnew pg\.(?:Client|Pool)\(/g,
];
/** A listener for errors, or a call that handles them: a pipeline, an async iteration, a stream that is handed to the reply. */
const HANDLED = /\.(?:on|once)\(\s*'error'|\bpipeline\(|\bfor await \(/g;

/** Files where the errors are handled elsewhere, and where. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'src/kernel/resources/database/database.ts': 'one loop listens on its three pools and their connections',
  'src/kernel/resources/database/database-open.ts': 'two clients never connect: they only read an address',
};

function count(text: string, patterns: readonly RegExp[]): number {
  return patterns.reduce((sum, pattern) => sum + [...text.matchAll(pattern)].length, 0);
}

test('files that are excused exist', () => {
  const files = sources.map(({ file }) => file);
  expect(Object.keys(ELSEWHERE).filter((file) => !files.includes(file))).toEqual([]);
});

test('what emits errors has a listener for them in the file that makes it', () => {
  expect(sources.length).toBeGreaterThan(500);
  const makers = sources.filter(({ text }) => count(text, MAKERS) > 0);
  expect(makers.length).toBeGreaterThan(15);
  const bare = makers.filter(
    ({ file, text }) => ELSEWHERE[file] === undefined && count(text, MAKERS) > count(text, [HANDLED]),
  );
  expect(bare.map(({ file }) => file)).toEqual([]);
});

test('the target of a request is parsed by URL.parse, which throws nothing', () => {
  const thrown = /\bnew URL\((?:request|incoming|message|raw)\b/;
  expect(sources.filter(({ text }) => thrown.test(text)).map(({ file }) => file)).toEqual([]);
});

test('connections become WebSockets at the one door', () => {
  const listening = sources.filter(({ text }) => /\.(?:on|once)\(\s*'upgrade'/.test(text));
  expect(listening.map(({ file }) => file)).toEqual(['src/kernel/http/server.ts']);
});
