/**
 * What a command says of the error that ended it. A message that says all stands alone: wrong arguments, what the stack
 * itself refuses, and errors of the command's own class. Anything else is a defect and comes with its stack trace.
 */
import { LocalStackError } from './local-stack-error.ts';

export function failureText(error: unknown, refusal: new (message: string) => Error): string {
  if (!(error instanceof Error)) return String(error);
  const isParsing = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  const { message, stack = message } = error;
  const saysAll = isParsing || error instanceof LocalStackError || error instanceof refusal;
  return saysAll ? message : stack;
}
