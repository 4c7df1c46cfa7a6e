import type { FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { storageErrors } from './storage-errors.server.ts';
import type { StorageScope } from './storage-scope.server.ts';

const ADDRESS = `${SERVICES.storage}/s3`;

/**
 * Refuses the S3 protocol as the original service does where it is switched off: 409 in the XML that S3
 * clients read, for every caller, before any of a body is read (decision 0453).
 */
export function refuseS3({ server }: StorageScope): void {
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { status, code, message } = storageErrors.notEnabled('s3Protocol');
    const asked = request.url.replace(/\?.*$/s, '').slice(ADDRESS.length);
    const resource = asked.split('/').filter(Boolean).join('/');
    const fields = { Resource: resource, Code: code, Message: message };
    const inner = Object.entries(fields).map(([name, text]) => `<${name}>${escapeHtml(text)}</${name}>`);
    return reply
      .code(status)
      .type('application/xml; charset=utf-8')
      .send(`<?xml version="1.0" encoding="UTF-8"?><Error>${inner.join('')}</Error>`);
  };
  for (const url of ['/s3', '/s3/*']) {
    server.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
      url,
      onRequest: refuse,
      handler: refuse,
    });
  }
}
