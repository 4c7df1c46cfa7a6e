import { type App, startApp } from './app.ts';
import { mailboxAddress } from './business/mailbox/mailbox-access.server.ts';
import { readSettings } from './kernel/config/settings.ts';
import { createLog } from './kernel/resources/log/log.ts';

/**
 * Draining and closing keep their own deadlines and take less. If they do not, we leave all the same:
 * everything acknowledged is on disk, and the embedded database is told to stop as we go.
 */
const LAST_RESORT_MS = 9500;

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
  // Only there when an older Node started us: it closes when that process was killed.
  process.on('disconnect', stop);
  process.channel?.unref();

  try {
    const settings = readSettings(process.env, folder);
    drainMs = (settings.DRAIN_SECONDS + settings.CALL_DRAIN_SECONDS) * 1000;
    const log = createLog(settings.LOG_LEVEL);
    // Nobody's forgotten promise ends the calls and requests of all others.
    process.on('unhandledRejection', (reason) =>
      log.error({ err: reason }, 'a promise failed that nobody waited for: please report this line'),
    );
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
}

async function closeAndExit(app: App): Promise<void> {
  await app.close().catch((error) => app.resources.log.error({ err: error }, 'the stop was not clean'));
  process.exit(0);
}
