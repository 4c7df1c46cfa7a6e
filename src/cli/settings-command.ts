import { maskedSettings } from '../kernel/config/masked-settings.ts';
import { type Command, UsageError } from './command.ts';

/** Shows the settings that a start would use. Errors in them are reported before any command runs. */
export const settingsCommand: Command = {
  summary: 'prints the settings that a start would use, secrets masked, or what is wrong with them',
  usage: ['check'],
  async run(settings, [form = 'check']) {
    if (form !== 'check') throw new UsageError(`There is no settings ${form}.`);
    return Object.entries(maskedSettings(settings))
      .map(([name, value]) => `${name}=${value}`)
      .join('\n');
  },
};
