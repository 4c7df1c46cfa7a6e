import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import { FIRST_SETTINGS } from './install-service-command.ts';

test('the unit lets the service write to every folder that the first settings name', () => {
  const unit = readFileSync(path.join(PROJECT_ROOT, 'deploy', 'northline.service'), 'utf8');
  const valuesOf = (name: string): string[] =>
    [...unit.matchAll(new RegExp(`^${name}=-?(.+)$`, 'gm'))].map(([, value = '']) => value);
  expect(valuesOf('ProtectSystem')).toEqual(['strict']);
  const writable = [
    ...valuesOf('StateDirectory').map((name) => `/var/lib/${name}`),
    ...valuesOf('ReadWritePaths'),
  ];
  // Including the settings that are suggested in a comment.
  const folders = Object.entries(parseEnv(FIRST_SETTINGS.replaceAll(/^#(?=[A-Z_]+=)/gm, ''))).filter(
    ([, value]) => value?.startsWith('/'),
  );
  expect(folders.map(([name]) => name).sort()).toEqual(['BACKUP_TO', 'DATA_DIR']);
  const refused = folders.filter(
    ([, folder = '']) => !writable.some((place) => folder === place || folder.startsWith(`${place}/`)),
  );
  expect(refused).toEqual([]);
});
