import {
  checkDatabase,
  checkMachine,
  checkSettings,
  type Finding,
} from '../business/monitoring/installation-check.server.ts';
import { CONSOLE_SETTINGS, type SettingOrigin } from '../kernel/config/console-settings.ts';
import type { SettingName, Settings } from '../kernel/config/settings.ts';
import { type Command, UsageError } from './command.ts';
import { installedSettings, withInstallation } from './installation-database.ts';
import { requestServer } from './server-request.ts';

/**
 * Says what is wrong with the installation and how to mend it; works whether the product is running or not.
 */
export const doctorCommand: Command = {
  summary: 'says what is wrong with the installation and what to do about it',
  usage: ['    exit code 1 when something does not work; advice alone leaves it 0'],
  async run(given, words) {
    if (words.length > 0) throw new UsageError(`The doctor takes no ${words[0]}.`);
    const { settings, faults: unused, originOf } = await installedSettings(given);
    const findings = [
      ...[...unused].map(([name, why]) => unusedSetting(name, why)),
      ...checkSettings(settings),
      ...(await checkMachine(settings)),
      ...(await findInDatabase(settings)),
      ...(await findInServer(settings)),
    ];
    const isFault = ({ level }: Finding): boolean => level === 'fault';
    const shown = [...findings.filter(isFault), ...findings.filter((one) => !isFault(one))];
    const faults = findings.filter(isFault).length;
    return {
      text: [
        ...shown.map(({ level, what, act, page }) => `${level.padEnd(6)}  ${what}\n        ${act} (${page})`),
        `settings of the console: ${namesFrom(originOf).join(', ') || 'none'}`,
        `faults: ${faults}, advice: ${findings.length - faults}`,
      ].join('\n'),
      exitCode: faults > 0 ? 1 : 0,
    };
  },
};

const namesFrom = (originOf: (name: SettingName) => SettingOrigin): SettingName[] =>
  CONSOLE_SETTINGS.filter((name) => originOf(name) === 'console');

const unusedSetting = (name: SettingName, why: string): Finding => ({
  level: 'fault',
  what: `The setting ${name} of the console is not in use: ${why}`,
  act: 'Write it again at /operator/settings, or set it in the environment.',
  page: 'docs/operators-guide.md#settings-at-the-console',
});

async function findInDatabase(settings: Settings): Promise<Finding[]> {
  try {
    return await withInstallation(settings, (database) => checkDatabase(database, settings, new Date()));
  } catch (error) {
    return [
      {
        level: 'fault',
        what: `The database cannot be asked: ${(error as Error).message}`,
        act: 'Start the product once, or look into its log.',
        page: 'docs/operators-guide.md#a-database-of-your-own',
      },
    ];
  }
}

async function findInServer(settings: Settings): Promise<Finding[]> {
  const page = 'docs/operators-guide.md#watch-it';
  try {
    const { files } = (await requestServer(settings, { method: 'GET', path: '/readyz', key: '' })) as {
      files: string;
    };
    if (files === 'available') return [];
    const act = 'Is the store of STORAGE_URL reachable, or the disk mounted?';
    return [{ level: 'fault', what: 'The store of files does not answer.', act, page }];
  } catch (error) {
    const act = 'Start it, or read in its log why it is not ready.';
    return [{ level: 'fault', what: (error as Error).message, act, page }];
  }
}
