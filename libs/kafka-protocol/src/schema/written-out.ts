/**
 * The steps of a structure written out as code of its own, for those that are read or written often.
 *
 * A walk over prepared steps serves all structures with the same few lines, and so the engine can assume nothing there:
 * each field costs a lookup by name, each object grows field by field. Written out, a structure is one object literal, or
 * one row of calls, that the engine knows the shape of. Where code from text is forbidden the walk goes on.
 */
import type { ByteReader } from '../byte-reader.ts';
import type { ByteWriter } from '../byte-writer.ts';
import type { StructValue } from './codec.ts';
import type { FieldCodec } from './field-codec.ts';

export type ReadStruct = (reader: ByteReader) => StructValue;
export type WriteStruct = (writer: ByteWriter, value: unknown) => void;

/** Of the uses of a structure, how many go by before it is worth the making. */
const USES_BEFORE = 20;

/** Gives each field in its order: those inline are read, the others have their default. */
export function writeOutReader(
  fields: readonly FieldCodec[],
  readTags: ((reader: ByteReader, value: StructValue) => void) | null,
): ReadStruct {
  const given: unknown[] = [];
  const give = (value: unknown): string => `given[${given.push(value) - 1}]`;
  const constants: string[] = [];
  const members = fields.map((field, index) => {
    const name = JSON.stringify(field.name);
    const isRead = field.place === 'inline';
    const makes = isRead || field.hasFreshDefault;
    const source = isRead ? field.read : makes ? field.createDefault : field.createDefault();
    constants.push(`const c${index} = ${give(source)};`);
    return `${name}: c${index}${isRead ? '(reader)' : makes ? '()' : ''}`;
  });
  const literal = `{ ${members.join(', ')} }`;
  const body =
    readTags === null
      ? `return ${literal};`
      : `const value = ${literal}; readTags(reader, value); return value;`;
  constants.push(`const readTags = ${give(readTags)};`);
  return made(`${constants.join(' ')} return (reader) => { ${body} };`, given) as ReadStruct;
}

/** `check` refuses what has no place in the version. */
export function writeOutWriter(
  guarded: readonly FieldCodec[],
  inline: readonly FieldCodec[],
  check: (field: FieldCodec, value: unknown) => void,
  writeTags: ((writer: ByteWriter, value: StructValue) => void) | null,
): WriteStruct {
  const given: unknown[] = [check, writeTags];
  const constants = ['const check = given[0]; const writeTags = given[1];'];
  const steps: string[] = [];
  for (const field of guarded) {
    const place = given.push(field) - 1;
    constants.push(`const c${place} = given[${place}];`);
    steps.push(`check(c${place}, value[${JSON.stringify(field.name)}]);`);
  }
  for (const field of inline) {
    const place = given.push(field.write) - 1;
    constants.push(`const c${place} = given[${place}];`);
    steps.push(`c${place}(writer, value[${JSON.stringify(field.name)}]);`);
  }
  if (writeTags !== null) steps.push('writeTags(writer, value);');
  return made(
    `${constants.join(' ')} return (writer, value) => { ${steps.join(' ')} };`,
    given,
  ) as WriteStruct;
}

/** Goes by `walk` until it has been used often, then by what `writeOut` makes. */
export function oftenWrittenOut<First, Second, Result>(
  walk: (first: First, second: Second) => Result,
  writeOut: () => (first: First, second: Second) => Result,
): (first: First, second: Second) => Result {
  let uses = 0;
  let current = walk;
  return (first, second) => {
    if (uses < USES_BEFORE) {
      uses += 1;
      if (uses === USES_BEFORE) current = unlessForbidden(writeOut) ?? walk;
    }
    return current(first, second);
  };
}

/** The text is put together from the declarations of this library alone. */
function made(text: string, given: readonly unknown[]): unknown {
  return new Function('given', text)(given);
}

function unlessForbidden<Made>(make: () => Made): Made | null {
  try {
    return make();
  } catch (error) {
    // Node was started with --disallow-code-generation-from-strings.
    if (error instanceof EvalError) return null;
    throw error;
  }
}
