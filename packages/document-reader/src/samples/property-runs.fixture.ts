/** How many inputs a property test makes: few in `npm test`, `PROPERTY_TIMES` as many where that is set (the soak sets 10). */
export const propertyRuns = (few: number): number => few * Number(process.env.PROPERTY_TIMES ?? 1);
