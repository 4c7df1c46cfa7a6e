// A file of its own: the browser reads it, and must not load the schemas of the report with it.

/** A value with less confidence (0 to 1) is shown as not sure, and raises no alarm. */
export const SURE_ENOUGH = 0.65;
