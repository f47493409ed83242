import { describe, expect, it } from 'vitest';
import { parseProperties } from './properties-file.ts';

describe('parseProperties', () => {
  it('reads the three separators, comments and blanks', () => {
    const text = '# comment\n! another\n\n  node.id = 1\nlog.dir:/data\nbroker.rack  r1\nempty=\n';
    expect([...parseProperties(text)]).toEqual([
      ['node.id', '1'],
      ['log.dir', '/data'],
      ['broker.rack', 'r1'],
      ['empty', ''],
    ]);
  });

  it('joins continued lines and keeps a hash inside a value', () => {
    const text = 'listeners=PLAINTEXT://a:1,\\\n   OTHER://b:2\nname=a#b';
    const properties = parseProperties(text);
    expect(properties.get('listeners')).toBe('PLAINTEXT://a:1,OTHER://b:2');
    expect(properties.get('name')).toBe('a#b');
  });

  it('resolves escapes, and an even number of backslashes ends no line early', () => {
    const properties = parseProperties('a\\=b=1\nuni=\\u00e9\\tz\npath=c:\\\\\nnext=2');
    expect(properties.get('a=b')).toBe('1');
    expect(properties.get('uni')).toBe('é\tz');
    expect(properties.get('path')).toBe('c:\\');
    expect(properties.get('next')).toBe('2');
  });

  it('lets the later line win, with Windows line ends too', () => {
    expect(parseProperties('a=1\r\na=2\r\n').get('a')).toBe('2');
  });
});
