// Keeps the server running: a process that ends by a fault is followed by another one. Plain old JavaScript, as it runs
// under whatever Node the machine has.
'use strict';
const { spawn } = require('node:child_process');
const os = require('node:os');

/** A process that ran longer than this, milliseconds, ended by chance and not because it cannot run. */
const STEADY_MS = 60_000;
/** The exit code of a process that a person told to start anew (src/main.ts): its end is no fault. */
const RESTART_CODE = 75;
/** Pauses before the next processes, milliseconds; when they are used up, nothing is started again. */
const PAUSES_MS = [0, 1000, 2000, 5000, 10_000];

/**
 * Runs `node words…` until it ends of its own accord (code 0), fails at its very first start, or is told to stop.
 * Signals are passed on. The process says `ready` over its channel once it has started. One that ends with
 * `RESTART_CODE` is started anew at once.
 */
module.exports = function supervise(node, words) {
  let child;
  let timer;
  let stopping = false;
  let wasReady = false;
  let shortRuns = 0;
  // Without it the console does not offer to start the product anew.
  process.env.NORTHLINE_RESTARTS = 'yes';

  const say = (sentence) => process.stderr.write(`${sentence}\n`);
  const leave = (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code);

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      stopping = true;
      if (timer !== undefined) leave(0, null);
      child.kill(signal);
    });

  function start() {
    timer = undefined;
    const begun = Date.now();
    // The channel tells the child when this process was killed and can pass no more signals on.
    child = spawn(node, words, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    child.on('error', (error) => {
      say(`The server could not be started: ${error.message}`);
      process.exit(1);
    });
    child.on('message', (message) => {
      wasReady = wasReady || message === 'ready';
    });
    child.on('exit', (code, signal) => {
      if (stopping || code === 0 || !wasReady) return leave(code, signal);
      if (code === RESTART_CODE) {
        say('The server was told to start anew.');
        process.env.NORTHLINE_STARTED_AT = String(Date.now());
        return start();
      }
      shortRuns = Date.now() - begun > STEADY_MS ? 0 : shortRuns + 1;
      startAgain(signal ? `was ended by ${signal}` : `ended with code ${code}`);
    });
  }

  function startAgain(how) {
    const pause = PAUSES_MS[Math.max(0, shortRuns - 1)];
    if (pause === undefined) {
      say(
        `The server ${how}, for the ${shortRuns}th time within a minute of its start. It is not started again: see the lines above, mend the cause, then run the command once more.`,
      );
      return leave(1, null);
    }
    say(`The server ${how}. It is started again${pause === 0 ? '' : ` in ${pause / 1000} s`}.`);
    process.env.NORTHLINE_STARTED_AT = String(Date.now() + pause);
    timer = setTimeout(start, pause);
  }

  start();
};
