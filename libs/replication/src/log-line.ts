/** Something for the operator. The caller adds which broker and partition it is about. */
export interface LogLine {
  readonly type: 'log';
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

export function logLine(level: LogLine['level'], message: string): LogLine {
  return { type: 'log', level, message };
}
