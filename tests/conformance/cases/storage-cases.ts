import type { World } from '../calling-world.ts';

const text = new Blob(['Dear reader'], { type: 'text/plain' });
type Named = { name: string };
const names = (list: Named[]) => list.map(({ name }) => name).join(', ');

/** Buckets and objects. */
export async function callStorage(world: World): Promise<void> {
  const { visitor, user, service, make } = world;
  const { data } = await user.auth.getUser();
  const path = `mine/${data.user?.id}/letter.txt`.slice('mine/'.length);
  const own = () => user.storage.from('user-uploads');
  const files = () => service.storage.from('pictures');
  let token = '';
  await make('Storage', 'service', [
    ['storage.createBucket()', () => service.storage.createBucket('pictures', { public: true })],
    ['storage.createBucket() again', () => service.storage.createBucket('pictures')],
    ['storage.listBuckets()', () => service.storage.listBuckets({ search: 'pict' }), names],
    ['storage.getBucket()', () => service.storage.getBucket('pictures'), ({ public: open }) => String(open)],
    ['storage.getBucket() of none', () => service.storage.getBucket('nothing')],
    ['storage.from().upload()', () => files().upload('a.txt', text)],
    ['storage.from().upload() again', () => files().upload('a.txt', text)],
    ['storage.from().upload({ upsert })', () => files().upload('a.txt', text, { upsert: true })],
    [
      'storage.from().update()',
      () => files().update('a.txt', new Blob(['Dear all'], { type: 'text/plain' })),
    ],
    [
      'storage.from().upload({ metadata })',
      () => files().upload('deep/b.txt', 'plain', { contentType: 'text/plain', metadata: { a: 1 } }),
    ],
    [
      'storage.from().download()',
      async () => {
        const got = await files().download('a.txt');
        return { error: got.error, data: await got.data?.text() };
      },
      String,
    ],
    ['storage.from().download() of none', () => files().download('nothing.txt')],
    [
      'storage.from().info()',
      () => files().info('deep/b.txt'),
      ({ size, metadata }) => `${size}, ${metadata.a}`,
    ],
    ['storage.from().exists()', () => files().exists('a.txt'), String],
    ['storage.from().exists() of none', () => files().exists('nothing.txt'), String],
    ['storage.from().copy()', () => files().copy('a.txt', 'c.txt')],
    ['storage.from().move()', () => files().move('c.txt', 'd.txt')],
    ['storage.from().move() of none', () => files().move('c.txt', 'e.txt')],
    ['storage.from().list()', () => files().list('', { sortBy: { column: 'name', order: 'desc' } }), names],
    [
      'storage.from().listV2()',
      () => files().listV2({ with_delimiter: true, limit: 2 }),
      ({ folders, objects, hasNext }) => `${names(folders)}; ${names(objects)}; ${hasNext}`,
    ],
    [
      'storage.from().createSignedUrl()',
      async () => {
        const made = await files().createSignedUrl('a.txt', 60, { download: 'letter.txt' });
        const reply = await fetch(made.data?.signedUrl ?? '');
        return { error: made.error, data: `${reply.status} ${reply.headers.get('content-disposition')}` };
      },
      String,
    ],
    [
      'storage.from().createSignedUrls()',
      () => files().createSignedUrls(['a.txt', 'nothing.txt'], 60),
      (list: { error: string | null }[]) => list.map(({ error }) => String(error)).join(', '),
    ],
    [
      'storage.from().createSignedUploadUrl()',
      async () => {
        const made = await files().createSignedUploadUrl('f.txt');
        token = made.data?.token ?? '';
        return made;
      },
    ],
    ['storage.from().uploadToSignedUrl()', () => files().uploadToSignedUrl('f.txt', token, text)],
    ['storage.from().uploadToSignedUrl() again', () => files().uploadToSignedUrl('f.txt', token, text)],
    [
      'storage.from().getPublicUrl()',
      async () => {
        const reply = await fetch(files().getPublicUrl('a.txt').data.publicUrl);
        return { data: `${reply.status} ${await reply.text()}` };
      },
      String,
    ],
    [
      'storage.updateBucket()',
      () => service.storage.updateBucket('pictures', { public: false, allowedMimeTypes: ['text/plain'] }),
    ],
    [
      'storage.from().upload() of a type that the bucket refuses',
      () => files().upload('g.png', new Blob(['x'], { type: 'image/png' })),
    ],
    ['storage.deleteBucket() with objects in it', () => service.storage.deleteBucket('pictures')],
    ['storage.from().remove()', () => files().remove(['a.txt', 'nothing.txt']), names],
    ['storage.from().purgeCache()', () => files().purgeCache('a.txt')],
    ['storage.purgeBucketCache()', () => service.storage.purgeBucketCache('pictures')],
    ['storage.getBucketLifecycle()', () => service.storage.getBucketLifecycle('pictures')],
    [
      'storage.updateBucketLifecycle()',
      () => service.storage.updateBucketLifecycle('pictures', { rules: [] } as never),
    ],
    ['storage.deleteBucketLifecycle()', () => service.storage.deleteBucketLifecycle('pictures')],
    ['storage.emptyBucket()', () => service.storage.emptyBucket('pictures')],
    ['storage.deleteBucket()', () => service.storage.deleteBucket('pictures')],
    [
      'storage.setHeader()',
      async () => ({ data: typeof service.storage.setHeader('x-a', 'b').listBuckets }),
      String,
    ],
    [
      'storage.throwOnError()',
      async () => ({ data: typeof world.connect().storage.throwOnError().listBuckets }),
      String,
    ],
    ['storage.from().setHeader()', async () => ({ data: typeof files().setHeader('x-a', 'b').list }), String],
    ['storage.from().throwOnError()', async () => ({ data: typeof files().throwOnError().list }), String],
  ]);
  await make('Storage', 'user', [
    ['storage.from().upload() without a credit', () => own().upload(path, text)],
    ['storage.from().download() of none', () => own().download(path)],
    ['storage.from().list()', () => own().list(data.user?.id), names],
  ]);
  await make('Storage', 'visitor', [['storage.createBucket()', () => visitor.storage.createBucket('mine')]]);
}
