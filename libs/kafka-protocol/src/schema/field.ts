/**
 * The words in which a message is declared. One declaration holds for all versions: the order of the properties is
 * the order on the wire, each field says in which versions it exists, and the TypeScript types of decoded and encoded
 * values follow from the declaration.
 *
 *     const request = {
 *       groupId: string('0+'),
 *       groupInstanceId: string('5+', { nullable: '5+', default: null }),
 *       protocols: array('0+', { name: string('0+'), metadata: bytes('0+') }),
 *     };
 */
import type { VersionRange } from './version-range.ts';

export interface Scalars {
  boolean: boolean;
  int8: number;
  int16: number;
  uint16: number;
  int32: number;
  uint32: number;
  int64: number;
  float64: number;
  string: string;
  uuid: string;
  bytes: Uint8Array;
}

export type ScalarName = keyof Scalars;

/** Record batches: a view when decoded, one range or several when encoded. */
export type RecordBytesInput = Uint8Array | readonly Uint8Array[];

export interface FieldOptions<Default> {
  /** Versions in which null is allowed. */
  readonly nullable?: VersionRange;
  /** Taken when the field is left out, and by readers of versions without it. */
  readonly default?: Default;
  /** May be dropped silently when a version has no place for it; otherwise a value that is not the default throws. */
  readonly ignorable?: true;
  /** Number of a tagged field. */
  readonly tag?: number;
  /** Versions in which the field is tagged, when these are fewer than those in which it exists. */
  readonly tagged?: VersionRange;
}

/** Phantom members: they carry types, never values. */
declare const OUTPUT: unique symbol;
declare const INPUT: unique symbol;
declare const OMITTABLE: unique symbol;

export type FieldShape =
  | { readonly kind: 'scalar'; readonly scalar: ScalarName }
  | { readonly kind: 'records' }
  | { readonly kind: 'struct'; readonly fields: Fields }
  | { readonly kind: 'scalars'; readonly scalar: ScalarName }
  | { readonly kind: 'structs'; readonly fields: Fields };

export interface Field<Output = unknown, Input = unknown, Omittable extends boolean = boolean> {
  readonly shape: FieldShape;
  readonly versions: VersionRange;
  readonly options: FieldOptions<unknown>;
  readonly [OUTPUT]?: Output;
  readonly [INPUT]?: Input;
  readonly [OMITTABLE]?: Omittable;
}

export interface Fields {
  readonly [name: string]: Field;
}

type OrNull<Value, Options> = Options extends { readonly nullable: string } ? Value | null : Value;

/** A field may be left out if it has a default of its own, or if some version is without it anyway. */
type MayOmit<Versions, Options> = Options extends
  | { readonly default: unknown }
  | { readonly tag: number }
  | { readonly ignorable: true }
  ? true
  : Versions extends '0+'
    ? false
    : true;

type OutputOfField<F> = F extends { readonly [OUTPUT]?: infer Output } ? Output : never;
type InputOfField<F> = F extends { readonly [INPUT]?: infer Input } ? Input : never;
type OmittableNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly [OMITTABLE]?: infer Omittable }
    ? [Omittable] extends [true]
      ? Name
      : never
    : never;
}[keyof F];

/** What decoding gives: every field, whatever the version. */
export type OutputOf<F extends Fields> = { -readonly [Name in keyof F]: OutputOfField<F[Name]> };

type Flat<T> = { [Name in keyof T]: T[Name] };

/** What encoding takes: fields that have a default, or that some version is without, may be left out. */
export type InputOf<F extends Fields> = Flat<
  { readonly [Name in Exclude<keyof F, OmittableNames<F>>]: InputOfField<F[Name]> } & {
    readonly [Name in OmittableNames<F>]?: InputOfField<F[Name]> | undefined;
  }
>;

type ScalarField<Name extends ScalarName, V, O> = Field<
  OrNull<Scalars[Name], O>,
  OrNull<Scalars[Name], O>,
  MayOmit<V, O>
>;

type NoOptions = FieldOptions<never>;

function scalar<Name extends ScalarName>(name: Name) {
  return <const V extends VersionRange, const O extends FieldOptions<Scalars[Name] | null> = NoOptions>(
    versions: V,
    options?: O,
  ): ScalarField<Name, V, O> => ({
    shape: { kind: 'scalar', scalar: name },
    versions,
    options: options ?? {},
  });
}

export const boolean = scalar('boolean');
export const int8 = scalar('int8');
export const int16 = scalar('int16');
export const uint16 = scalar('uint16');
export const int32 = scalar('int32');
export const uint32 = scalar('uint32');
export const int64 = scalar('int64');
export const float64 = scalar('float64');
export const string = scalar('string');
export const uuid = scalar('uuid');
export const bytes = scalar('bytes');

/** Record batches, passed through as they are. The default is null, or no bytes where null is not allowed. */
export function records<const V extends VersionRange, const O extends FieldOptions<null> = NoOptions>(
  versions: V,
  options?: O,
): Field<OrNull<Uint8Array, O>, OrNull<RecordBytesInput, O>, MayOmit<V, O>> {
  return { shape: { kind: 'records' }, versions, options: options ?? {} };
}

/** One structure in place. Its default is the structure of its fields' defaults, or null if that is said. */
export function struct<
  const V extends VersionRange,
  F extends Fields,
  const O extends FieldOptions<null> = NoOptions,
>(versions: V, fields: F, options?: O): Field<OrNull<OutputOf<F>, O>, OrNull<InputOf<F>, O>, MayOmit<V, O>> {
  return { shape: { kind: 'struct', fields }, versions, options: options ?? {} };
}

type ElementOutput<E> = E extends ScalarName ? Scalars[E] : E extends Fields ? OutputOf<E> : never;
type ElementInput<E> = E extends ScalarName ? Scalars[E] : E extends Fields ? InputOf<E> : never;

/** A list of scalars (by the scalar's name) or of structures. The default is the empty list, or null if that is said. */
export function array<
  const V extends VersionRange,
  E extends ScalarName | Fields,
  const O extends FieldOptions<null> = NoOptions,
>(
  versions: V,
  element: E,
  options?: O,
): Field<OrNull<ElementOutput<E>[], O>, OrNull<readonly ElementInput<E>[], O>, MayOmit<V, O>> {
  const shape: FieldShape =
    typeof element === 'string' ? { kind: 'scalars', scalar: element } : { kind: 'structs', fields: element };
  return { shape, versions, options: options ?? {} };
}
