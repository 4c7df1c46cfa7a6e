import { nearestWord } from '@northline/nearest-word/nearest-word';
import { PROJECT_ROOT } from '../kernel/config/project-root.ts';
import { readSettings } from '../kernel/config/settings.ts';
import { apiKeysCommand } from './api-keys-command.ts';
import { assistantCommand } from './assistant-command.ts';
import { backupCommand } from './backup-command.ts';
import { billingCommand } from './billing-command.ts';
import { callsCommand } from './calls-command.ts';
import { type Command, PROGRAM, UsageError } from './command.ts';
import { doctorCommand } from './doctor-command.ts';
import { eventsCommand } from './events-command.ts';
import { keysCommand } from './keys-command.ts';
import { mailboxCommand } from './mailbox-command.ts';
import { operatorsCommand } from './operators-command.ts';
import { personCommand } from './person-command.ts';
import { installServiceCommand } from './release/install-service-command.ts';
import { upgradeCommand } from './release/upgrade-command.ts';
import { restoreCommand } from './restore-command.ts';
import { settingsCommand } from './settings-command.ts';
import { storageCommand } from './storage-command.ts';
import { upgradeDatabaseCommand } from './upgrade-database-command.ts';
import { verifyCommand } from './verify-command.ts';
import { voiceCommand } from './voice-command.ts';

/** Every command of the operator, by name. */
const COMMANDS: Readonly<Record<string, Command>> = {
  'api-keys': apiKeysCommand,
  assistant: assistantCommand,
  backup: backupCommand,
  billing: billingCommand,
  calls: callsCommand,
  doctor: doctorCommand,
  events: eventsCommand,
  'install-service': installServiceCommand,
  keys: keysCommand,
  mailbox: mailboxCommand,
  operators: operatorsCommand,
  person: personCommand,
  restore: restoreCommand,
  settings: settingsCommand,
  storage: storageCommand,
  upgrade: upgradeCommand,
  'upgrade-database': upgradeDatabaseCommand,
  verify: verifyCommand,
  voice: voiceCommand,
};

/** The exit code for words that fit no command, as in shells and GNU tools. */
const WRONG_USAGE = 2;

/** Runs one command line, given without the program's name, and returns its exit code. */
export async function run([name = 'help', ...words]: readonly string[]): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) return help(words[0]);
  const command = COMMANDS[name];
  if (command === undefined) return unknown(name);
  if (words.some((word) => word === '--help' || word === '-h')) return help(name);
  try {
    const outcome = await command.run(readSettings(process.env, PROJECT_ROOT), words);
    const { text, exitCode } = typeof outcome === 'string' ? { text: outcome, exitCode: 0 } : outcome;
    process.stdout.write(`${text}\n`);
    return exitCode;
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const sentence = (error as Error).message;
    process.stderr.write(
      `${isUsage ? `${sentence}${sentence && '\n\n'}${usageOf(name, command)}` : sentence}\n`,
    );
    return isUsage ? WRONG_USAGE : 1;
  }
}

function help(name: string | undefined): number {
  const command = name === undefined ? undefined : COMMANDS[name];
  if (name !== undefined && command === undefined) return unknown(name);
  const text = name !== undefined && command !== undefined ? usageOf(name, command) : overview();
  process.stdout.write(`${text}\n`);
  return 0;
}

function unknown(name: string): number {
  const near = nearestWord(name, Object.keys(COMMANDS), 3);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  process.stderr.write(`There is no command ${name}.${hint}\n\n${overview()}\n`);
  return WRONG_USAGE;
}

function usageOf(name: string, { summary, usage }: Command): string {
  return [`${PROGRAM} ${name}: ${summary}`, '', ...usage.map((line) => `  ${PROGRAM} ${name} ${line}`)].join(
    '\n',
  );
}

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    `${PROGRAM} COMMAND …`,
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    `  ${'help'.padEnd(width)}  this list; ${PROGRAM} help COMMAND says what a command takes`,
  ].join('\n');
}

// In a bundle this file may be part of another one, so the program's own name counts as well.
if (import.meta.main || /\bnorthline\.[jt]s$/.test(process.argv[1] ?? ''))
  process.exitCode = await run(process.argv.slice(2));
