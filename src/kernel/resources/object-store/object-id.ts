import { isUuid } from '../../contract/uuid.ts';

/**
 * Returns the id. @throws Error for anything but a UUID, so that no name from outside becomes part of a path
 */
export function checkedId(id: string): string {
  if (!isUuid(id)) throw new Error('an object store id is a UUID made by the server');
  return id;
}
