/** How many inputs a property test makes: few in a whole run, `PROPERTY_RUNS` for the big one by hand. */
export const propertyRuns = (few: number): number => Number(process.env.PROPERTY_RUNS ?? few);
