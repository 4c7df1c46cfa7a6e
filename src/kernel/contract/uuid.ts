const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID as PostgreSQL prints it (RFC 9562 §4), in either letter case. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}
