import {
  REFUSED_TOOLS,
  SETTING_EFFECTS,
  type SettingEffect,
  type SettingPart,
} from '../../src/voice/records/setting-effects.contract.ts';
import { readSettingTests } from './sentence-claims.ts';

const BEGIN = '<!-- fields: written by `npm run docs` -->';
const END = '<!-- end of fields -->';

const TITLES: Readonly<Record<SettingPart, string>> = {
  assistant: 'An assistant, and its overrides',
  squad: 'A squad',
  tool: 'A tool, kept or in `model.tools`',
  call: '`POST /call/web`',
  phoneCall: '`POST /call/phone`',
};
const EFFECTS = { acts: 'acts', refused: 'refused (400)', kept: 'kept, with a warning' } as const;

const tests = readSettingTests();
const cell = (text: string): string => text.replaceAll('|', '\\|');

function rowOf(part: SettingPart, { at, does, says, except, neutral }: SettingEffect): string {
  const [place = ''] = at.split('>');
  const kept = Object.entries(except ?? {}).map(([value, why]) => `\`${value}\` is only kept: ${why}`);
  const quiet =
    does === 'kept' && neutral !== undefined
      ? [`no warning for ${neutral.map((one) => `\`${JSON.stringify(one)}\``).join(', ')}`]
      : [];
  const test = tests.get(`${part}: ${at}`);
  const shown = test === undefined ? '' : `[test](../${test})`;
  return `| \`${place}\` | ${EFFECTS[does]} | ${cell([says, ...kept, ...quiet].join('; '))} | ${shown} |`;
}

/** The tables that say what each accepted field does, one for each kind of body. */
function voiceSettings(): string {
  const tables = (Object.keys(TITLES) as SettingPart[]).flatMap((part) => [
    `### ${TITLES[part]}`,
    '',
    '| Field | Here | How | |',
    '|---|---|---|---|',
    ...SETTING_EFFECTS[part].map((row) => rowOf(part, row)),
    '',
  ]);
  const tools = Object.entries(REFUSED_TOOLS).map(([type, why]) => `| \`${type}\` | ${why} |`);
  return [
    ...tables,
    '### Types of tools that are refused',
    '',
    '| Type | Why, and what instead |',
    '|---|---|',
    ...tools,
  ].join('\n');
}

/**
 * `page` with the current tables between its marks.
 *
 * @throws Error when the marks are missing
 */
export function withVoiceSettings(page: string): string {
  const from = page.indexOf(BEGIN);
  const to = page.indexOf(END);
  if (from === -1 || to < from) throw new Error('docs/voice-api.md has lost the marks around its fields.');
  return `${page.slice(0, from)}${BEGIN}\n${voiceSettings()}\n${page.slice(to)}`;
}
