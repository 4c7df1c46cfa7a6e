import { SETTINGS } from '../../src/kernel/config/settings.ts';

const BEGIN = '<!-- settings: written by `npm run docs` -->';
const END = '<!-- end of settings -->';

/** The README's table of all settings with their defaults, from the one schema. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, { rule, about }]) => {
    const standard = String(rule.parse(undefined));
    return `| \`${name}\` | ${standard === '' ? '' : `\`${standard}\``} | ${about.replaceAll('|', '\\|')} |`;
  });
  return ['| Setting | Default | What it does |', '|---|---|---|', ...rows].join('\n');
}

/**
 * `readme` with the current table between its marks.
 *
 * @throws Error when the marks are missing
 */
export function withSettingsTable(readme: string): string {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END);
  if (from === -1 || to < from) throw new Error('README.md has lost the marks around its table of settings.');
  return `${readme.slice(0, from)}${BEGIN}\n${settingsTable()}\n${readme.slice(to)}`;
}
