/** How many inputs a property test makes: few in a whole run, `PROPERTY_RUNS` for the big one by hand. */
export const propertyRuns = (few: number): number => Number(process.env.PROPERTY_RUNS ?? few);

/** Vitest's patience with a property test: the big one takes minutes. */
export const PROPERTY_PATIENCE_MS = process.env.PROPERTY_RUNS === undefined ? 60_000 : 3_600_000;
