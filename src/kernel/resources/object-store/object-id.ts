import { isUuid } from '../../contract/uuid.ts';

/** The id itself. @throws Error for anything but a UUID, so that no name from outside is ever part of a path */
export function checkedId(id: string): string {
  if (!isUuid(id)) throw new Error('an object store id is a UUID made by the server');
  return id;
}
