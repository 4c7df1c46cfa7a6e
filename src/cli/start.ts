import { enableCompileCache, flushCompileCache } from 'node:module';
import path from 'node:path';
import { PROJECT_ROOT } from '../kernel/config/project-root.ts';

const startedAt = Number(process.env.NORTHLINE_STARTED_AT ?? Date.now());
// The build keeps its compiled code beside it: a quarter of a second and 20 MB less at the next start. Where that
// folder cannot be written (a release that belongs to root), Node says so in its answer and compiles as before.
const isBuilt = import.meta.url.endsWith('.js');
if (isBuilt) enableCompileCache(path.join(import.meta.dirname, 'compiled'));
const { main } = await import('../main.ts');
await main(PROJECT_ROOT, startedAt);
// Now, as a process that is killed would leave nothing.
if (isBuilt) flushCompileCache();
