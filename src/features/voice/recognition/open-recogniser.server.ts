import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../config/project-root.ts';
import type { Recognised, SttStream } from '../engines.server.ts';
import type { RecogniserFiles } from './find-recogniser.server.ts';
import type { PreparedModels } from './prepare-models.server.ts';
import type { RecogniserReply, RecogniserRequest } from './recogniser-messages.server.ts';

const ENTRY = path.join(
  PROJECT_ROOT,
  'src',
  'features',
  'voice',
  'recognition',
  'recogniser-process.server.ts',
);
/** A process that has not answered by then is taken for hung; it is ended and the turn is empty. */
const PATIENCE_MS = 5000;
const NOTHING: Recognised = { text: '', confidence: 0 };

/**
 * A recogniser in a process of its own for one call. Opening returns at once: sound waits in the
 * pipe until the models are loaded (some 0.3 s). A process that ends in mid-call is started anew;
 * the utterance under way is then answered with an empty text.
 */
export function openRecogniser(
  files: RecogniserFiles,
  models: PreparedModels,
  warn: (line: string) => void,
): SttStream {
  let child: ChildProcess | null = start();
  let closed = false;
  let listener: (partial: Recognised) => void = () => {};
  const waiting: ((heard: Recognised) => void)[] = [];

  function start(): ChildProcess {
    const begun = fork(ENTRY, [files.libraries, files.models, models.ownModel, models.dictionary], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--max-old-space-size=128'],
      env: { PATH: process.env.PATH },
    });
    begun.on('message', (message: RecogniserReply) => hear(message));
    begun.on('exit', (code, signal) => lost(begun, `The recogniser ended (${signal ?? code}).`));
    begun.on('error', (error) => lost(begun, error.message));
    return begun;
  }

  function hear(message: RecogniserReply): void {
    if (message.kind === 'partial') listener({ text: message.text, confidence: 1 });
    if (message.kind === 'heard') waiting.shift()?.(message);
  }

  function lost(which: ChildProcess, why: string): void {
    if (child !== which) return;
    child = null;
    for (const answer of waiting.splice(0)) answer(NOTHING);
    if (!closed) warn(why);
  }

  function tell(request: RecogniserRequest): void {
    if (child?.connected) child.send(request, () => {});
  }

  return {
    name: 'pocketsphinx',
    beginUtterance() {
      if (!closed) child ??= start();
      tell({ kind: 'begin' });
    },
    push: (pcm) => tell({ kind: 'sound', pcm }),
    onPartial(each) {
      listener = each;
    },
    endUtterance() {
      if (!child?.connected) return Promise.resolve(NOTHING);
      return new Promise((resolve) => {
        const patience = setTimeout(() => child?.kill('SIGKILL'), PATIENCE_MS);
        waiting.push((heard) => {
          clearTimeout(patience);
          resolve({ text: heard.text, confidence: heard.confidence });
        });
        tell({ kind: 'end' });
      });
    },
    close() {
      closed = true;
      child?.kill('SIGTERM');
    },
  };
}
