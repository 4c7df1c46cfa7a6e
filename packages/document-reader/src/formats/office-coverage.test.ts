import { expect, test } from 'vitest';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { partsOfWord, writeZip } from '../samples/write-zip.fixture.ts';
import { readFileContent } from './file-content.ts';

const read = (file: Buffer) =>
  readFileContent(
    file,
    createOcrSession(0, () => {}),
  );
const NAMES =
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';

test('text that a tracked change deletes is left out, and the report says so', async () => {
  const word = (body: string) =>
    read(
      writeZip([
        ...partsOfWord(),
        {
          name: 'word/document.xml',
          content: `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t xml:space="preserve">Rent is £900 </w:t></w:r>${body}</w:p></w:body></w:document>`,
        },
      ]),
    );
  const changed = await word('<w:del w:id="1"><w:r><w:delText>and water is free</w:delText></w:r></w:del>');
  expect(changed.blocks.map(({ text }) => text)).toEqual(['Rent is £900']);
  expect(changed.warnings.map(({ code }) => code)).toContain('tracked_deletions');
  expect((await word('')).warnings.map(({ code }) => code)).not.toContain('tracked_deletions');
});

test('comments on slides are read, of old programs and of new ones with replies', async () => {
  const slides = await read(
    writeZip([
      {
        name: '[Content_Types].xml',
        content:
          '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
      },
      { name: 'ppt/presentation.xml', content: `<?xml version="1.0"?><p:presentation ${NAMES}/>` },
      {
        name: 'ppt/slides/slide1.xml',
        content: `<?xml version="1.0"?><p:sld ${NAMES}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>Our prices</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
      },
      {
        name: 'ppt/comments/comment1.xml',
        content: `<?xml version="1.0"?><p:cmLst ${NAMES}><p:cm authorId="0"><p:text>Is VAT included &amp; shown?</p:text></p:cm></p:cmLst>`,
      },
      {
        name: 'ppt/comments/modernComment_1.xml',
        content: `<?xml version="1.0"?><p188:cmLst ${NAMES} xmlns:p188="x"><p188:cm><p188:replyLst><p188:reply><p188:txBody><a:p><a:r><a:t>Yes, 20&#37;.</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>Which </a:t></a:r><a:r><a:t>rate?</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>`,
      },
    ]),
  );
  expect(slides.blocks.map(({ text }) => text)).toEqual([
    'Our prices',
    'Is VAT included & shown?',
    'Yes, 20%.',
    'Which rate?',
  ]);
});
