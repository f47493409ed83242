/** What kinds of buyers come: shares of all arrivals, between 0 and 1. */
import { CommandError } from '../demo/command-error.ts';

export interface Mix {
  /** Want two seats; the others want one. */
  readonly pairs: number;
  /** Want one of the few popular seats, which most of them will not get. */
  readonly popular: number;
  /** Pay with a card that is declined. */
  readonly declined: number;
}

export const defaultMix: Mix = { pairs: 0.5, popular: 0, declined: 0 };

/** `pairs=0.5,popular=0.1`; what is not named keeps its default. */
export function readMix(text: string): Mix {
  const mix: Record<keyof Mix, number> = { ...defaultMix };
  for (const part of text.split(',')) {
    const [name = '', value = ''] = part.split('=');
    if (!isShareName(name)) {
      throw new CommandError(`--mix ${part}: there are ${Object.keys(defaultMix).join(', ')}`);
    }
    const share = value.trim() === '' ? Number.NaN : Number(value);
    if (!(share >= 0 && share <= 1)) throw new CommandError(`--mix ${part}: a share lies between 0 and 1`);
    mix[name] = share;
  }
  return mix;
}

function isShareName(name: string): name is keyof Mix {
  return Object.hasOwn(defaultMix, name);
}
