import { SETTINGS, type SettingName, type Settings } from './settings.ts';

/** The settings as an operator may see them: secrets and passwords in addresses masked. */
export function maskedSettings(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SETTINGS).map(([name, entry]) => {
      const value = String(settings[name as SettingName]);
      return [name, 'secret' in entry && value !== '' ? mask(value) : value];
    }),
  );
}

function mask(value: string): string {
  const address = URL.parse(value);
  if (address === null || address.host === '') return '********';
  if (address.password !== '') address.password = '********';
  return address.href;
}
