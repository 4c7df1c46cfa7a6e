import { PROJECT_ROOT } from '../src/config/project-root.ts';
import { main } from '../src/main.ts';

await main(PROJECT_ROOT, Number(process.env.NORTHLINE_STARTED_AT ?? Date.now()));
