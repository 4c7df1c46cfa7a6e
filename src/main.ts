import { type App, startApp } from './app.ts';
import { mailboxAddress } from './business/mailbox/mailbox-access.server.ts';
import { readSettings } from './kernel/config/settings.ts';
import { createLog, type Log } from './kernel/resources/log/log.ts';

/**
 * Draining and closing keep their own deadlines and take less. If they do not, we leave all the same:
 * everything acknowledged is on disk, and the embedded database is told to stop as we go.
 */
const LAST_RESORT_MS = 9500;
/** Milliseconds that requests under way have to finish after a fault of ours: the next process has to start soon. */
const CRASH_DRAIN_MS = 2000;
/** The exit code after a fault of ours (EX_SOFTWARE of sysexits.h); 1 is a start that failed. */
const FAULT_CODE = 70;

/**
 * Reads the settings, starts the product and keeps it until a signal, also one that
 * comes while it starts. `startedAt` is the epoch ms of the command.
 */
export async function main(folder: string, startedAt: number): Promise<void> {
  let app: App | undefined;
  let stopping = false;
  let drainMs = 0;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(0), drainMs + LAST_RESORT_MS);
    if (app !== undefined) void closeAndExit(app);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  // Only there when another process started us: it closes when that process was killed.
  process.on('disconnect', stop);
  process.channel?.unref();
  // The reader of our first lines may be gone; the product goes on.
  process.stdout.on('error', () => {});

  try {
    const settings = readSettings(process.env, folder);
    drainMs = (settings.DRAIN_SECONDS + settings.CALL_DRAIN_SECONDS) * 1000;
    const log = createLog(settings.LOG_LEVEL);
    // Nobody's forgotten promise ends the calls and requests of all others.
    process.on('unhandledRejection', (reason) =>
      log.error({ err: reason }, 'a promise failed that nobody waited for: please report this line'),
    );
    endAfterFault(log, () => app);
    app = await startApp(settings, log);
  } catch (error) {
    // The reason is one sentence; whoever needs the trace sets LOG_LEVEL=debug.
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    if (process.env.LOG_LEVEL === 'debug') console.error(error);
    process.exit(1);
  }
  if (stopping) return closeAndExit(app);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const mailbox = mailboxAddress(app.resources);
  // Written at once: whoever waits for the first line has the second one too.
  process.stdout.write(
    `${app.resources.settings.BRAND} is at ${app.resources.siteUrl} (started in ${seconds} s)\n` +
      (mailbox === undefined ? '' : `Mails stay on this machine, at ${mailbox}\n`),
  );
  // The supervisor starts a process again only once it has run.
  process.send?.('ready');
}

/**
 * The last resort: after an exception that nobody caught nothing in this process is certain. It logs the fault, gives
 * requests under way a moment to finish, and ends with {@link FAULT_CODE}, so that a supervisor starts the next one.
 */
function endAfterFault(log: Log, running: () => App | undefined): void {
  let ending = false;
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a fault of ours ends this process: please report this line');
    if (ending) return;
    ending = true;
    setTimeout(() => process.exit(FAULT_CODE), CRASH_DRAIN_MS);
    const leave = (): void => process.exit(FAULT_CODE);
    running()?.close().then(leave, leave) ?? leave();
  });
}

async function closeAndExit(app: App): Promise<void> {
  await app.close().catch((error) => app.resources.log.error({ err: error }, 'the stop was not clean'));
  process.exit(0);
}
