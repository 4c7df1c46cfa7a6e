/** What the server names bytes. */
export const OBJECT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id itself. @throws Error for anything but a UUID, so that no name from outside is ever part of a path */
export function checkedId(id: string): string {
  if (!OBJECT_ID.test(id)) throw new Error('an object store id is a UUID made by the server');
  return id;
}
