/**
 * Checks a route's parameters by the schemas that they are declared with. As Nest's own pipe for standard schemas does, but
 * our schemas answer at once, and so does this: a promise less for each parameter of each request.
 */
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { BookingProblem } from '@seatlog/booking';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export class SchemaPipe implements PipeTransform<unknown, unknown> {
  transform(value: unknown, { schema }: ArgumentMetadata): unknown {
    if (schema === undefined) return value;
    const result = schema['~standard'].validate(value);
    if (result instanceof Promise) throw new TypeError('a schema of a route must answer at once');
    if (result.issues !== undefined) throw validationProblem(result.issues);
    return result.value;
  }
}

function validationProblem(issues: readonly Issue[]): BookingProblem {
  const named = issues.map(({ path = [], message }) => ({
    field: path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.'),
    message,
  }));
  const detail = named
    .map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
    .join('; ');
  return new BookingProblem('VALIDATION', detail, { members: { issues: named } });
}
