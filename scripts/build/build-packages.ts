import { cpSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runTool } from '../checks/static-checks.ts';
import { buildVoiceScripts } from './build-voice-scripts.ts';

const PACKAGES = path.join(import.meta.dirname, '..', '..', 'packages');
const EMITTED = path.join(PACKAGES, 'dist');

// `npm run packages`: builds what the browser packages publish, JavaScript with its types, in each `dist`.
// npm does the same before it packs or publishes one of them.
const failed = runTool(['tsc', '-p', 'tsconfig.packages.json']);
if (failed !== 0) process.exit(failed);
for (const name of ['call', 'voice']) {
  const folder = path.join(PACKAGES, name);
  rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
  renameSync(path.join(EMITTED, name, 'src'), path.join(folder, 'dist'));
  cpSync(path.join(PACKAGES, '..', 'LICENSE'), path.join(folder, 'dist', 'LICENSE'));
}
rmSync(EMITTED, { recursive: true, force: true });
await buildVoiceScripts(path.join(PACKAGES, 'call', 'dist'));
