import { PROJECT_ROOT } from '../kernel/config/project-root.ts';
import { main } from '../main.ts';

await main(PROJECT_ROOT, Number(process.env.NORTHLINE_STARTED_AT ?? Date.now()));
