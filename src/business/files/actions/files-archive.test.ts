import { expect, test } from 'vitest';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { downloadTogether } from './files-archive.web.ts';

test('files that are more than a tab can hold are refused before anything is fetched', async () => {
  const file = { file_size: 600 * 1024 ** 2 } as Parameters<typeof downloadTogether>[0][number];
  await expect(downloadTogether([file, file], () => {})).rejects.toThrow(MESSAGES.download.tooMuch);
});
