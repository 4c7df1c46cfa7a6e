import { type App, startApp } from './app.ts';
import { firstOperatorAddress } from './business/console/first-operator.server.ts';
import { mailboxAddress } from './business/mailbox/mailbox-access.server.ts';
import { returnMemoryOfStart } from './kernel/concurrency/start-memory.ts';
import { readSettings } from './kernel/config/settings.ts';
import { createLog, type Log } from './kernel/resources/log/log.ts';

/**
 * Draining and closing have deadlines of their own, which are shorter. If they fail, the process ends anyway:
 * all acknowledged data is on disk, and the embedded database stops with us.
 */
const LAST_RESORT_MS = 9500;
/** Milliseconds that running requests have to finish after an internal error: the next process has to start soon. */
const CRASH_DRAIN_MS = 2000;
/** The exit code after an internal error (EX_SOFTWARE of sysexits.h); 1 means that the start failed. */
const FAULT_CODE = 70;
/** The exit code of a process that an operator told to start anew (EX_TEMPFAIL); scripts/supervise.cjs knows it. */
const RESTART_CODE = 75;

/**
 * Reads the settings, starts the product and runs it until a signal, which may also come
 * during the start. `startedAt` is the epoch ms of the command.
 */
export async function main(folder: string, startedAt: number): Promise<void> {
  let app: App | undefined;
  let stopping = false;
  let drainMs = 0;
  const stop = (code: number): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(code), drainMs + LAST_RESORT_MS);
    if (app !== undefined) void closeAndExit(app, code);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(0));
  // Exists only if another process started us: the channel closes when that process dies.
  process.on('disconnect', () => stop(0));
  process.channel?.unref();
  // The reader of our output may be gone; the product goes on.
  process.stdout.on('error', () => {});

  try {
    const settings = readSettings(process.env, folder);
    drainMs = (settings.DRAIN_SECONDS + settings.CALL_DRAIN_SECONDS) * 1000;
    const log = createLog(settings.LOG_LEVEL);
    // A rejected promise without a handler must not end all calls and requests.
    process.on('unhandledRejection', (reason) =>
      log.error({ err: reason }, 'a promise failed without a handler: please report this line'),
    );
    endAfterFault(log, () => app);
    const isRestarted = process.env.NORTHLINE_RESTARTS === 'yes';
    app = await startApp(settings, log, isRestarted ? { restart: () => stop(RESTART_CODE) } : {});
  } catch (error) {
    // The reason is one sentence; LOG_LEVEL=debug adds the stack trace.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (process.env.LOG_LEVEL === 'debug') console.error(error);
    process.exit(1);
  }
  if (stopping) return closeAndExit(app, 0);
  returnMemoryOfStart();
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const { resources } = app;
  const mailbox = mailboxAddress(resources);
  const owner = await firstOperatorAddress(resources);
  // One write, so that a program that waits for the first line has the others too.
  process.stdout.write(
    `${resources.settings.BRAND} is at ${resources.siteUrl} (started in ${seconds} s)\n` +
      (mailbox === undefined ? '' : `Mails stay on this machine, at ${shown(mailbox, 'mailbox')}\n`) +
      (owner === undefined ? '' : `Make it yours at ${shown(owner, 'operators first')}\n`),
  );
  // The supervisor restarts only a process that has reported this.
  process.send?.('ready');
}

/** These tokens sign in as anybody, so they are shown to a person and never kept in a service's journal. */
function shown(address: string, command: string): string {
  if (process.stdout.isTTY) return address;
  return `${address.replace(/(token|owner)=.*/, '$1=…')} (npm run northline -- ${command} prints the token)`;
}

/**
 * The last resort: after an exception without a handler, nothing in this process is certain. It logs the error, gives
 * running requests a moment to finish, and exits with {@link FAULT_CODE}, so that a supervisor starts the next process.
 */
function endAfterFault(log: Log, running: () => App | undefined): void {
  let ending = false;
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'an internal error ends this process: please report this line');
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(FAULT_CODE), CRASH_DRAIN_MS);
    const leave = (): void => process.exit(FAULT_CODE);
    const app = running();
    if (app === undefined) leave();
    else app.close().then(leave, leave);
  });
}

async function closeAndExit(app: App, code: number): Promise<void> {
  await app.close().catch((error) => app.resources.log.error({ err: error }, 'the stop was not clean'));
  process.exit(code);
}
