/**
 * How many inputs a property test generates: `few` in `npm test`, multiplied by `PROPERTY_TIMES` if that is
 * set (the soak sets 10).
 */
export const propertyRuns = (few: number): number => few * Number(process.env.PROPERTY_TIMES ?? 1);
