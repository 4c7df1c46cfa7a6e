import { enableCompileCache, flushCompileCache } from 'node:module';
import path from 'node:path';
import { PROJECT_ROOT } from '../kernel/config/project-root.ts';

const startedAt = Number(process.env.NORTHLINE_STARTED_AT ?? Date.now());
// The build caches its compiled code beside itself, which saves a quarter of a second and 20 MB at the next
// start. Where that folder is not writable (a release that belongs to root), Node reports that in the result
// and compiles as usual.
const isBuilt = import.meta.url.endsWith('.js');
if (isBuilt) {
  enableCompileCache(path.join(import.meta.dirname, 'compiled'));
  process.env.NORTHLINE_PROGRAMS = import.meta.dirname;
}
const { main } = await import('../main.ts');
await main(PROJECT_ROOT, startedAt);
// Written now, because a killed process would write nothing.
if (isBuilt) flushCompileCache();
