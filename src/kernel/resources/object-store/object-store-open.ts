import path from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { parseStorageUrl, type StorageAddress } from '../../config/storage-url.ts';
import { openDiskObjectStore } from './disk-object-store.ts';
import type { ObjectStore } from './object-store.ts';
import { openS3ObjectStore } from './s3-object-store.ts';

type StorageSettings = Pick<Settings, 'STORAGE_URL' | 'DATA_DIR'>;

/** The folder for objects when no other place is set. */
export function defaultObjectFolder({ DATA_DIR }: Pick<Settings, 'DATA_DIR'>): string {
  return path.join(DATA_DIR, 'objects');
}

/** Where the settings put the bytes of objects. */
export function storageAddress(settings: StorageSettings): StorageAddress {
  return settings.STORAGE_URL === ''
    ? { kind: 'disk', folder: defaultObjectFolder(settings) }
    : parseStorageUrl(settings.STORAGE_URL);
}

/**
 * Opens the store at an address.
 *
 * @param dataDir folder for files that are inspected before they go to a store on the network
 * @throws Error with one sentence for the operator when it cannot be used
 */
export async function openObjectStore(address: StorageAddress, dataDir: string): Promise<ObjectStore> {
  return address.kind === 'disk'
    ? openDiskObjectStore(address.folder)
    : openS3ObjectStore(address, path.join(dataDir, 'spool'));
}
