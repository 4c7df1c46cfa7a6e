import { SETTINGS, type SettingName, type Settings } from './settings.ts';

/** The settings as an operator may see them: secrets and passwords in addresses masked. */
export function maskedSettings(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SETTINGS).map(([name, entry]) => {
      const value = String(settings[name as SettingName]);
      if (!('secret' in entry) || value === '') return [name, value];
      return [name, entry.secret === 'in address' && !value.includes('://') ? value : mask(value)];
    }),
  );
}

function mask(value: string): string {
  const address = URL.parse(value);
  if (address === null || address.host === '') return '********';
  if (address.password !== '') address.password = '********';
  return address.href;
}
