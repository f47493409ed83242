/** Generators of messages, derived from their declarations: any value that one version of a message can carry. */
import fc from 'fast-check';
import type { Field, Fields, ScalarName } from '../schema/field.ts';
import { includesVersion, parseVersions } from '../schema/version-range.ts';
import { uuidFromBytes } from '../uuid.ts';

/** Text without lone surrogates, which UTF-8 cannot carry. */
export const text = fc.string({ unit: 'binary', maxLength: 12 });
const byteRange = fc.uint8Array({ maxLength: 24 });

const integer = (bits: number): fc.Arbitrary<number> =>
  fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 });
const natural = (bits: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: 2 ** bits - 1 });

const SCALARS: Readonly<Record<ScalarName, fc.Arbitrary<unknown>>> = {
  boolean: fc.boolean(),
  int8: integer(8),
  int16: integer(16),
  uint16: natural(16),
  int32: integer(32),
  uint32: natural(32),
  int64: fc.maxSafeInteger().map((value) => value + 0),
  float64: fc.double({ noNaN: true }),
  string: text,
  uuid: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => uuidFromBytes(bytes)),
  bytes: byteRange,
};

/** All fields that exist at `version`, some of them left out if they may take their default. */
export function messageArbitrary(fields: Fields, version: number): fc.Arbitrary<Record<string, unknown>> {
  const present = Object.entries(fields).filter(([, field]) => exists(field, version));
  return fc.record(
    Object.fromEntries(present.map(([name, field]) => [name, fieldArbitrary(field, version)])),
    {
      requiredKeys: [],
    },
  );
}

function exists(field: Field, version: number): boolean {
  return includesVersion(parseVersions(field.versions), version);
}

function fieldArbitrary(field: Field, version: number): fc.Arbitrary<unknown> {
  const value = shapeArbitrary(field, version);
  const { nullable } = field.options;
  if (nullable === undefined || !includesVersion(parseVersions(nullable), version)) return value;
  return fc.option(value, { nil: null, freq: 3 });
}

function shapeArbitrary({ shape }: Field, version: number): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'scalar':
      return SCALARS[shape.scalar];
    case 'records':
      return fc.uint8Array({ maxLength: 2000, size: 'max' });
    case 'scalars':
      return fc.array(SCALARS[shape.scalar], { maxLength: 4 });
    case 'struct':
      return messageArbitrary(shape.fields, version);
    case 'structs':
      return fc.array(messageArbitrary(shape.fields, version), { maxLength: 3 });
  }
}

/** The message as a decoder gives it: every field, defaults filled in, byte ranges as hex. */
export function completed(fields: Fields, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, completedField(field, value[name])]),
  );
}

const DEFAULTS: Partial<Record<ScalarName, unknown>> = { boolean: false, string: '', uuid: 'A'.repeat(22) };

function completedField({ shape, options }: Field, given: unknown): unknown {
  const value = given === undefined ? options.default : given;
  if (value === null) return null;
  switch (shape.kind) {
    case 'scalar':
      if (shape.scalar === 'bytes')
        return Buffer.from((value as Uint8Array | undefined) ?? []).toString('hex');
      return value ?? DEFAULTS[shape.scalar] ?? 0;
    case 'records':
      if (value === undefined) return options.nullable === undefined ? '' : null;
      return Buffer.from(value as Uint8Array).toString('hex');
    case 'scalars':
      return value ?? [];
    case 'struct':
      return completed(shape.fields, (value as Record<string, unknown> | undefined) ?? {});
    case 'structs':
      return ((value as Record<string, unknown>[] | undefined) ?? []).map((item) =>
        completed(shape.fields, item),
      );
  }
}
