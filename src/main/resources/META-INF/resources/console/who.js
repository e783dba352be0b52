// Who looks at the page, and what he may do.
import {ask, call, get, keep, post, Refused} from './api.js';

const SESSION = '/v1/console/session';

export const me = {name: '', role: ''};

/** Finds out who one is, with a one-time key from the address if it has one. Answers whether one is anybody. */
export async function knock() {
    const refusal = await turnKey();
    try {
        Object.assign(me, await get(SESSION));
        return true;
    } catch (failure) {
        if (!(failure instanceof Refused) || failure.status !== 401) {
            throw failure;
        }
        if (refusal) {
            throw refusal;
        }
        return false;
    }
}

/**
 * It works once, so it is taken out of the address. Answers why it was refused, if it was: one may be in all the same.
 */
async function turnKey() {
    const key = /^#key=(.+)$/.exec(location.hash)?.[1];
    if (!key) {
        return null;
    }
    history.replaceState(null, '', location.pathname + location.search);
    return signIn({key}).then(() => null, refusal => refusal);
}

/** Whether this browser has a session now. */
export const isIn = () => ask(SESSION).then(answer => answer.ok, () => false);

/** @param by a `token`, or a one-time `key` */
export async function signIn(by) {
    keep((await post(SESSION, by)).page_secret);
}

export async function signOut() {
    await call('DELETE', SESSION);
    keep(null);
}

/** Stop, input, run again. */
export const mayChange = () => me.role !== 'observer';
/** Answer approvals. */
export const mayDecide = () => me.role === 'operator';
/** Read the journal. */
export const mayAudit = () => me.role !== 'agent';
