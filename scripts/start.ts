import path from 'node:path';
import { main } from '../src/main.ts';

await main(path.join(import.meta.dirname, '..'), Number(process.env.NORTHLINE_STARTED_AT ?? Date.now()));
