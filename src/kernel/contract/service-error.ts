/*
 * The one error class of the product, a package as our packages throw it too. Features throw it, `http/` alone turns
 * it into a reply in the shape of each service (500 for any other throw), and the browser maps `code` to the words of
 * docs/specification/site.md §8.
 */
export { ServiceError } from '@northline/service-error/service-error';
