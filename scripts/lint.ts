import { runStaticChecks, runTool } from './static-checks.ts';

// `npm run lint`: everything that tools can say about the source, in well under a minute.
const { failed } = runStaticChecks();
const architecture = runTool(['vitest', 'run', 'tests/architecture.test.ts']);
process.exitCode = failed === 0 && architecture === 0 ? 0 : 1;
