import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { startMessageMails } from './message-mails.server.ts';
import { MESSAGE_LIMITS } from './messages.contract.ts';

/** Messages of one customer; each is a mail to the agency or a part of one. */
const MESSAGE_LIMIT = { count: 40, seconds: 3600, burst: 10 };

/**
 * The threads between customers and the agency: what customers write, and mails about it. Customers read their own from
 * the data service.
 *
 * @trigger northline_app.messages realtime_publish
 */
export function mountMessages(http: HttpContext, resources: Resources): void {
  declareSending(http, resources);
  startMessageMails(resources);
}

/**
 * `send-message`: `{text, files?}`: a message of a customer, with the ids of some of their files. Answers `{id}`.
 *
 * Errors: 404 `not_found` for a file that is not the caller's own, and for what is not there any more; nothing is
 * written then.
 */
function declareSending(http: HttpContext, { database }: Resources): void {
  declareFunction(http, {
    name: 'send-message',
    callers: 'users',
    body: z.object({
      text: z.string().trim().min(1).max(MESSAGE_LIMITS.text),
      files: z.array(z.uuid()).max(MESSAGE_LIMITS.files).default([]),
    }),
    limit: MESSAGE_LIMIT,
    async handle({ caller, body }) {
      const { id } = await database.one('select private.write_message($1, false, $2, $3) as id', [
        requireUser(caller),
        body.text,
        body.files,
      ]);
      if (id === null)
        throw new ServiceError(
          404,
          'not_found',
          'An attached file, or the account itself, is not there any more. Nothing was sent.',
        );
      return { id };
    },
  });
}
