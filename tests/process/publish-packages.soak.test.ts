import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
const CONSUMER = `import { type CallEvents, LevelMeter, webRtcTransport } from '@northline/call';
import { VoiceClient } from '@northline/voice';
const client = new VoiceClient('key', { openTransport: webRtcTransport(), baseUrl: '/voice/v1' });
client.on('call-end', () => console.log('over'));
export const muted: boolean = client.isMuted();
export type Names = keyof CallEvents;
// @ts-expect-error: the types are really there
client.say(1);
void LevelMeter;
`;

test('the browser packages can be packed, installed elsewhere, imported as JavaScript and checked by types', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'packages-'));
  const run = (command: string, words: string[], cwd: string) =>
    execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    run(process.execPath, [path.join(ROOT, 'scripts', 'build', 'build-packages.ts')], ROOT);
    for (const name of ['call', 'voice']) {
      // The packages have just been built, so npm need not build them again.
      run(
        'npm',
        ['pack', '--ignore-scripts', '--pack-destination', folder],
        path.join(ROOT, 'packages', name),
      );
      const installed = path.join(folder, 'node_modules', '@northline', name);
      mkdirSync(installed, { recursive: true });
      const archive = readdirSync(folder).find((file) => file.startsWith(`northline-${name}`)) ?? '';
      run('tar', ['-xzf', path.join(folder, archive), '--strip-components=1', '-C', installed], folder);
      expect(readdirSync(installed).sort()).toEqual(['README.md', 'dist', 'package.json']);
    }
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    const names = `console.log(Object.keys({ ...(await import('@northline/call')), ...(await import('@northline/voice')) }).sort().join())`;
    expect(run(process.execPath, ['--input-type=module', '-e', names], folder).trim()).toBe(
      'COMPATIBLE_VERSION,CallClient,LevelMeter,NotSupportedError,VoiceClient,WebCallError,webRtcTransport',
    );
    writeFileSync(path.join(folder, 'page.ts'), CONSUMER);
    const tsc = path.join(ROOT, 'node_modules', '.bin', 'tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib'];
    expect(run(tsc, [...options, 'es2022,dom', '--types', '', 'page.ts'], folder)).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
