import { maskedSettings } from '../kernel/config/masked-settings.ts';
import type { SettingName } from '../kernel/config/settings.ts';
import { type Command, UsageError } from './command.ts';
import { installedSettings } from './installation-database.ts';

/** Column at which the origins begin, after all but the longest values. */
const WIDTH = 48;

/**
 * Shows the settings that a start would use, each with its origin. Errors in those of the environment are reported before
 * any command runs.
 */
export const settingsCommand: Command = {
  summary:
    'prints the settings that a start would use and where each comes from, with secrets masked, or what is wrong with them',
  usage: ['check'],
  async run(given, [form = 'check']) {
    if (form !== 'check') throw new UsageError(`There is no settings ${form}.`);
    const { settings, originOf, faults, unread } = await installedSettings(given);
    const lines = Object.entries(maskedSettings(settings)).map(
      ([name, value]) => `${`${name}=${value}`.padEnd(WIDTH)} # ${originOf(name as SettingName)}`,
    );
    const notes = [...faults].map(([name, fault]) => `# ${name} of the console is not in use: ${fault}`);
    if (unread !== undefined) notes.push(`# The settings of the console could not be read: ${unread}`);
    return [...lines, ...notes].join('\n');
  },
};
